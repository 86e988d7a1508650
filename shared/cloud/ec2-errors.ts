import type { DryRunAnswer } from "../account-ports.ts";
import type { ProviderErrorKind } from "../ports.ts";
import {
  type Ec2ErrorMeaning,
  type Ec2ErrorRow,
  ec2ErrorTable,
  firstRefusalSeconds,
  stateReasonTable,
  unknownError,
} from "./ec2-error-table.ts";

export interface Ec2ErrorClass extends Ec2ErrorMeaning {
  readonly code: string;
  /** False for a code that is not in the table: to be counted and reported. */
  readonly known: boolean;
}

/**
 * Looks an EC2 error up; its message decides where one code stands for several faults (karpenter-aws §4.6). Nothing is read out of a
 * message: what was refused is what was asked for, whatever types a text names (field-scenarios B3.05). Never throws.
 */
export function classifyEc2Error(code: string, message = ""): Ec2ErrorClass {
  const row = rowFor(ec2ErrorTable, code, message);
  return row === undefined ? { ...unknownError, code, known: false } : { ...meaningOf(row), code, known: true };
}

/** How a port tells an error of EC2, SSM or IAM: what a call names and AWS does not know is `NotFound`, whatever it would mean for a launch. */
export function providerErrorKindOf(code: string, message = ""): ProviderErrorKind {
  const isUnknownObject = code === "NoSuchEntity" || code.endsWith(".NotFound");
  return isUnknownObject ? "NotFound" : classifyEc2Error(code, message).providerErrorKind;
}

/** What EC2's error says of a RunInstances that was only tried; undefined where it says nothing of the request, and the call has failed. */
export function dryRunAnswer(code: string, message: string): DryRunAnswer | undefined {
  if (code === "DryRunOperation") return { kind: "allowed" };
  const { effect } = classifyEc2Error(code, message);
  return effect === "resolve" || effect === "back-off" ? undefined : { kind: "refused", code, message };
}

/** Why an instance ended before it was a node; undefined when its reason says nothing about launches (karpenter-aws §4.8). */
export function classifyStateReason(code: string): Ec2ErrorClass | undefined {
  const row = rowFor(stateReasonTable, code, "");
  return row && { ...meaningOf(row), code, known: true };
}

/** Seconds an offering stays unavailable after `times` refusals in a row: 180, doubled each time, one hour at most. */
export function unavailableFor(times: number, firstSeconds = firstRefusalSeconds): number {
  const longest = Math.max(firstSeconds, longestRefusalSeconds);
  return Math.min(longest, firstSeconds * 2 ** Math.min(20, Math.max(0, times - 1)));
}

const longestRefusalSeconds = 3_600;

/** A row with a message before one without, then the longest code. */
function rowFor(table: readonly Ec2ErrorRow[], code: string, message: string): Ec2ErrorRow | undefined {
  const fitting = table
    .filter((row) => row.message === undefined || row.message.test(message))
    .map((row) => ({ row, length: Math.max(...row.codes.map((one) => lengthFitting(one, code))) }))
    .filter(({ length }) => length >= 0)
    .sort((a, b) => b.length - a.length);
  return (fitting.find(({ row }) => row.message !== undefined) ?? fitting[0])?.row;
}

/** How much of the code the pattern names; below 0 when it does not fit. */
function lengthFitting(pattern: string, code: string): number {
  if (!pattern.endsWith("*")) return pattern === code ? Number.MAX_SAFE_INTEGER : -1;
  return code.startsWith(pattern.slice(0, -1)) ? pattern.length - 1 : -1;
}

function meaningOf({ codes: _codes, message: _message, ...meaning }: Ec2ErrorRow): Ec2ErrorMeaning {
  return meaning;
}
