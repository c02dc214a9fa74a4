import {
  atMost,
  exactly,
  median,
  memory,
  ratio,
  reaction,
  silence,
  verdict,
  type Verdict,
} from '../rollout/verdict.ts';
import type { OperatorRound } from '../rollout/measurement.ts';
import type { Measurement } from './measurement.ts';
import { zones } from './objects.ts';

/** Ratios and times are medians over the runs; counts must be right in each. */
export function verdictsOf(measurement: Measurement): readonly Verdict[] {
  const { objects, rounds, reactions, rest } = measurement;
  const operators = rounds.map(({ operator }) => operator);
  const children = objects * zones.length;
  const changed = operators[0]?.scale.changedSubsets ?? 0;
  return [
    ratio('first rollout: until all children exist', rounds, ({ first }) => first.writtenMs, 1.25),
    ratio('first rollout: until all pods are Ready', rounds, ({ first }) => first.readyMs, 1.1),
    exactly('first rollout: creates', children, operators, ({ first }) => first.written.creates),
    exactly('first rollout: writes of each child', 1, operators, ({ first }) => first.written.mostPerChild),
    atMost(
      'first rollout: status writes of any object',
      3,
      operators,
      ({ first }) => first.written.mostStatusPerObject,
    ),
    cpu('first rollout: processor time', 4, operators, ({ first }) => first.cpuMs),
    ratio('new image: until all pods are Ready', rounds, ({ second }) => second.readyMs, 1.1),
    exactly('new image: applies', children, operators, ({ second }) => second.written.applies),
    exactly('new image: writes of each child', 1, operators, ({ second }) => second.written.mostPerChild),
    cpu('new image: processor time', 8, operators, ({ second }) => second.cpuMs),
    memory(160, operators),
    atMost('all scaled: writes of children', changed, operators, ({ scale }) => scale.written.applies),
    atMost('all scaled: writes of any child', 1, operators, ({ scale }) => scale.written.mostPerChild),
    reaction('one is scaled: all its children are written', zones.length, reactions),
    silence(rest),
  ];
}

function cpu(
  what: string,
  limitSeconds: number,
  rounds: readonly OperatorRound<unknown>[],
  msOf: (round: OperatorRound<unknown>) => number,
): Verdict {
  const found = median(rounds.map(msOf)) / 1000;
  return verdict(what, `≤ ${limitSeconds} s`, `${found.toFixed(2)} s`, found <= limitSeconds);
}
