import { readFileSync } from "node:fs";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import {
  defaultSettings,
  isKubernetesVersion,
  isSlackPercent,
  minValuesPolicies,
  mostSlackPercent,
  oldestKubernetesVersion,
  preferencePolicies,
  regionPattern,
  servedPodAnnotationPattern,
} from "../shared/state/settings.ts";
import type { CommandResult } from "./command-result.ts";
import type { ExplainOptions } from "./explain.ts";
import { tellingAllOptionFaults } from "./option-faults.ts";
import type { PlanOptions } from "./plan.ts";
import { shippedScenarios } from "./scenario-file.ts";
import type { SimulateOptions } from "./simulate.ts";

const exitCodes = `
Exit codes: 0 done; 1 some pods cannot be placed, or an invariant broke; 2 bad input.`;

endWithParent();
process.stdout.on("error", endOnFailedOutput);
process.stderr.on("error", endOnFailedNotes);
await run(process.argv);

async function run(argv: readonly string[]): Promise<void> {
  try {
    await program().parseAsync(argv);
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
    else reportBug(error, argv.includes("--debug"));
  }
}

function program(): Command {
  const journeyman = new Command("journeyman")
    .description("Gives an EKS cluster the nodes that its pods need. Reads Karpenter's own manifests.")
    .version(packageVersion(), "--version", "print the version")
    .addHelpText("after", exitCodes)
    .option("--debug", "print the stack of an internal error")
    .showHelpAfterError("(--help tells the options)")
    .exitOverride();
  journeyman.addCommand(inheriting(journeyman, planCommand()));
  journeyman.addCommand(inheriting(journeyman, explainCommand()));
  journeyman.addCommand(inheriting(journeyman, simulateCommand()));
  return journeyman;
}

function inheriting(parent: Command, command: Command): Command {
  const withDebug = command.copyInheritedSettings(parent).option("--debug", "print the stack of an internal error");
  return tellingAllOptionFaults(withDebug);
}

function planCommand(): Command {
  return withInputs(new Command("plan"))
    .description("show the nodes that would be launched for the objects of some files")
    .action(async (options: PlanOptions) => {
      const { plan } = await import("./plan.ts");
      print(await plan(options, process.stdin));
    });
}

function explainCommand(): Command {
  return withInputs(new Command("explain"))
    .description("tell where a pod would run, or why nowhere and the smallest change that would help")
    .argument("<kind>", "pod")
    .argument("<namespace/name>", "of the pod; pods of workloads are named NAME-0, NAME-1, ...")
    .action(async (kind: string, name: string, options: ExplainOptions) => {
      const { explain } = await import("./explain.ts");
      print(await explain(kind, name, options, process.stdin));
    });
}

/** The options of every command that plans for the objects of some files. */
function withInputs(command: Command): Command {
  return command
    .requiredOption("-f, --filename <file|dir|->", "manifests, JSON or a kubectl dump; repeatable", collect)
    .option("--scale <[namespace/]kind/name=N>", "plan for N pods of a workload; repeatable", collect)
    .option("--catalog <file>", "JSON catalog of instance types and prices (docs/catalog-file.md)")
    .option("--region <region>", "AWS region", regionName, defaultSettings.region)
    .option("--kubernetes-version <version>", "version of the cluster", minorVersion, defaultSettings.kubernetesVersion)
    .option("--scheduler-config <file>", "default topology spread, as Karpenter's scheduler configuration states it")
    .option("--served-pod-annotation <key[=value]>", "plan only for pods with this annotation", servedPods)
    .addOption(new Option("--preference-policy <policy>", "what preferences count for").choices(preferencePolicies))
    .option("--preference-max-cost-percent <n>", "what preferences may add to the cost (default 10)", percentage)
    .addOption(new Option("--min-values-policy <policy>", "how binding minValues are").choices(minValuesPolicies))
    .option("--spot-spread-share <share>", "most of the spot nodes in one type and zone (default 0.4; 1: any)", share)
    .option(
      "--spot-min-offerings <n>",
      "spot offerings that hold each spot node's pods (default 5; 0: any)",
      wholeNumber,
    )
    .option("--node-charge <usd>", "USD per hour of a node beside instance and volumes (default 0)", amount)
    .option(
      "--packing-slack <percent>",
      "plan without nominations, leaving this share of each new node's CPU and memory free",
      slackPercent,
    )
    .option("--volume-price-factor <n>", "EBS prices in terms of us-east-1 (default 1)", amount)
    .addOption(outputOption(["table", "json", "yaml"]));
}

function simulateCommand(): Command {
  return new Command("simulate")
    .description("run the production controllers through a scenario, in virtual time and without AWS")
    .argument("<scenario>", `a scenario file, or one that is shipped: ${shippedScenarios().join(", ")}`)
    .option("--seed <n>", "seed of everything that is random", wholeNumber, 1)
    .option("--faults", "lose, double and delay events, fail calls")
    .option("--report <file>", "write a self-contained HTML report")
    .addOption(outputOption(["table", "json"]))
    .action(async (scenario: string, options: SimulateOptions) => {
      const { simulate } = await import("./simulate.ts");
      print(await simulate(scenario, options));
    });
}

function outputOption(formats: readonly string[]): Option {
  return new Option("-o, --output <format>", "how to print the result").choices(formats).default("table");
}

/** The exit code is only noted, so that a slow reader of a pipe still gets everything. */
function print({ exitCode, output, notes }: CommandResult): void {
  process.stdout.write(output);
  if (notes.length > 0) process.stderr.write(`${notes.join("\n")}\n`);
  process.exitCode = exitCode;
}

function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number)) return number;
  throw new InvalidArgumentError("expected a whole number of 0 or more.");
}

function amount(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new InvalidArgumentError("expected a number of 0 or more, such as 0.02.");
}

function share(text: string): number {
  const number = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && number > 0 && number <= 1) return number;
  throw new InvalidArgumentError("expected a share above 0 and up to 1, such as 0.4.");
}

function slackPercent(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text) && isSlackPercent(Number(text))) return Number(text);
  throw new InvalidArgumentError(`expected a number of percent from 0 to ${mostSlackPercent}, such as 3.`);
}

function percentage(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new InvalidArgumentError("expected a number of percent such as 10.");
}

function minorVersion(text: string): string {
  if (isKubernetesVersion(text)) return text;
  throw new InvalidArgumentError(`expected a minor version such as 1.34, from ${oldestKubernetesVersion} on.`);
}

function regionName(text: string): string {
  if (regionPattern.test(text)) return text;
  throw new InvalidArgumentError("expected an AWS region such as eu-central-1.");
}

function servedPods(text: string): string {
  if (servedPodAnnotationPattern.test(text)) return text;
  throw new InvalidArgumentError("expected an annotation such as example.com/served or example.com/served=yes.");
}

function packageVersion(): string {
  const { version }: { readonly version: string } = JSON.parse(
    readFileSync(new URL("../package.json", import.meta.url), "utf8"),
  );
  return version;
}

/** journeyman.js starts this with a channel. When it is killed nobody waits for the result, and a later run may write the same report. */
function endWithParent(): void {
  if (process.send === undefined) return;
  if (!process.connected) process.exit(2);
  process.on("disconnect", () => process.exit(2));
  // A listener would keep the process running when its work is done.
  process.channel?.unref();
}

/** `journeyman plan ... | head` is no error: nobody wants the rest. */
function endOnFailedOutput(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit();
  process.stderr.write(`error: standard output: found ${error.message}, expected to be able to write\n`);
  process.exit(2);
}

/** Without a reader of the notes the result still counts; there is nobody left to tell of anything worse. */
function endOnFailedNotes(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") process.exit(2);
}

function reportBug(error: unknown, withStack: boolean): void {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`this is a bug in journeyman: ${message}\n`);
  if (withStack && error instanceof Error) process.stderr.write(`${error.stack ?? ""}\n`);
  process.exitCode = 2;
}
