import type { FloorRound, Run } from './measurement.ts';
import { machine, verdictTable } from './verdict-table.ts';
import type { Verdict } from './verdict.ts';

type Rounds = readonly Run<FloorRound>[];

/** For people: the table. */
export function asText(what: string, rounds: Rounds, verdicts: readonly Verdict[]): string {
  return verdictTable(`${what}; median of ${rounds.length}.`, verdicts);
}

/** For programs: everything that was measured. */
export function asJson(measured: { readonly rounds: Rounds }, verdicts: readonly Verdict[]): string {
  return `${JSON.stringify({ machine: machine(), ...measured, verdicts }, undefined, 2)}\n`;
}
