import type { BaselineRound, Run } from '../rollout/measurement.ts';
import { inSeconds } from '../rollout/in-seconds.ts';
import { nominalMs } from '../pace/pace.ts';
import { machine, verdictTable } from './verdict-table.ts';
import type { Verdict } from './verdict.ts';

type Rounds = readonly Run<BaselineRound>[];

/** For people: the table, and below it how fast the machine was. */
export function asText(what: string, rounds: Rounds, verdicts: readonly Verdict[]): string {
  const table = verdictTable(`${what}; median of ${rounds.length}.`, verdicts);
  return `${table}\n${paceLine(rounds)}\n`;
}

/** Processor time of controller manager, scheduler and kubelets, run by run: where it is not the same, the machine's speed was not. */
function paceLine(rounds: Rounds): string {
  const beside = (of: 'baseline' | 'operator'): string => {
    const times = rounds.map(({ [of]: { first, second } }) =>
      [first, second].map(({ bystandersMs }) => inSeconds(bystandersMs)).join(' and '),
    );
    return `${times.join('; ')} beside the ${of}`;
  };
  return (
    `all is normalised to one speed of the machine, in brackets as measured: times of rollouts by what controller manager, ` +
    `scheduler and kubelets took of the processor for the same children (${beside('baseline')}, ${beside('operator')}, first rollout and new image), ` +
    `all else for a machine on which the reference work takes ${nominalMs} ms`
  );
}

/** For programs: everything that was measured. */
export function asJson(measured: { readonly rounds: Rounds }, verdicts: readonly Verdict[]): string {
  return `${JSON.stringify({ machine: machine(), ...measured, verdicts }, undefined, 2)}\n`;
}
