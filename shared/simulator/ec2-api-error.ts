/** A request that the simulated EC2 refuses, as the SDK would surface it. */
export class Ec2ApiError extends Error {
  /** EC2's code, such as `InsufficientInstanceCapacity`; `TimeoutError` when the answer was lost on the way. */
  readonly code: string;
  override readonly name = "Ec2ApiError";

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
