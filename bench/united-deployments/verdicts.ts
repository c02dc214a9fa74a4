import {
  atMost,
  exactly,
  memory,
  ratio,
  reaction,
  seconds,
  seen,
  silence,
  taken,
  type Verdict,
} from '../verdicts/verdict.ts';
import type { Measurement } from './measurement.ts';
import { zones } from './objects.ts';

/** Ratios and times are medians over the runs; counts must be right in each. */
export function verdictsOf(measurement: Measurement): readonly Verdict[] {
  const { objects, rounds, reactions, rest } = measurement;
  const operators = rounds.map(({ operator }) => operator);
  const children = objects * zones.length;
  const changed = operators[0]?.scale.changedSubsets ?? 0;
  return [
    ratio('first rollout: until all children exist', rounds, ({ first }) => first, 'childrenMs', 1.25),
    ratio('first rollout: until all pods are Ready', rounds, ({ first }) => first, 'podsMs', 1.15),
    exactly('first rollout: creates', children, operators, ({ first }) => first.written.creates),
    exactly('first rollout: writes of each child', 1, operators, ({ first }) => first.written.mostPerChild),
    atMost(
      'first rollout: status writes of any object',
      3,
      operators,
      ({ first }) => first.written.mostStatusPerObject,
    ),
    seen('first rollout: every object is seen', operators, ({ first }) => first.seenMs),
    taken(
      'first rollout: processor time',
      undefined,
      seconds,
      operators.map(({ first }) => first.cpu),
    ),
    ratio('new image: until all pods are Ready', rounds, ({ second }) => second, 'podsMs', 1.15),
    exactly('new image: applies', children, operators, ({ second }) => second.written.applies),
    exactly('new image: writes of each child', 1, operators, ({ second }) => second.written.mostPerChild),
    seen('new image: every object is seen', operators, ({ second }) => second.seenMs),
    taken(
      'new image: processor time',
      undefined,
      seconds,
      operators.map(({ second }) => second.cpu),
    ),
    memory(200, operators),
    atMost('all scaled: writes of children', changed, operators, ({ scale }) => scale.written.applies),
    atMost('all scaled: writes of any child', 1, operators, ({ scale }) => scale.written.mostPerChild),
    reaction('one is scaled: all its children are written', zones.length, reactions),
    silence(rest),
  ];
}
