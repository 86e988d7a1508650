/** Values of an option that takes positive whole numbers. Ends the process with 2 and a sentence when one is none. */
export function positiveNumbers(option: string, values: readonly string[]): readonly number[] {
  const wrong = values.find((value) => !/^[1-9]\d{0,8}$/.test(value));
  if (wrong !== undefined) exitWith(`--${option}: found ${wrong}; expected a positive whole number`);
  return values.map(Number);
}

/** Says what is wrong with how a program was started, or with where, and ends the process with 2. */
export function exitWith(message: string): never {
  console.error(message);
  process.exit(2);
}
