import type { FloorRound, Run } from './measurement.ts';
import { referenceLine } from './reference.ts';
import { machine, verdictTable } from './verdict-table.ts';
import type { Verdict } from './verdict.ts';

type Rounds = readonly Run<FloorRound>[];

/** For people: the table, and below it what the machine was like. */
export function asText(what: string, rounds: Rounds, verdicts: readonly Verdict[]): string {
  const table = verdictTable(`${what}; median of ${rounds.length}.`, verdicts);
  return `${table}\n${referenceLine(rounds.map(({ reference }) => reference))}\n`;
}

/** For programs: everything that was measured. */
export function asJson(measured: { readonly rounds: Rounds }, verdicts: readonly Verdict[]): string {
  return `${JSON.stringify({ machine: machine(), ...measured, verdicts }, undefined, 2)}\n`;
}
