import { type Command, InvalidArgumentError, type Option } from "commander";

/**
 * Commander ends at the first value that it cannot take. Here wrong values are only noted, and told together: with the first error of
 * another kind (an option that is unknown, or missing), else before the command does anything.
 */
export function tellingAllOptionFaults(command: Command): Command {
  const faults: string[] = [];
  for (const option of command.options) noteFaults(option, faults);
  return command
    .configureOutput({
      outputError: (text, write) => {
        write([...faults.splice(0), text].join("\n"));
      },
    })
    .hook("preAction", () => {
      const last = faults.pop();
      if (last !== undefined) command.error(last);
    });
}

function noteFaults(option: Option, faults: string[]): void {
  const { parseArg } = option;
  if (parseArg === undefined) return;
  option.parseArg = <T>(value: string, previous: T): T => {
    try {
      return parseArg(value, previous);
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      faults.push(`error: option '${option.flags}' argument '${value}' is invalid. ${error.message}`);
      return previous;
    }
  };
}
