import { expect, test } from 'vitest';
import type { BaselineRound, Run } from '../rollout/measurement.ts';
import { asJson, asText } from './report.ts';
import { verdict } from './verdict.ts';

const rollout = { childrenMs: 1, podsMs: 2, bystandersMs: 3000, processorMs: {} };
const both: BaselineRound = { first: rollout, second: rollout };
const run: Run<BaselineRound> = { baseline: both, operator: both };
const verdicts = [verdict('speed', '≤ 1 s', '2 s', false), verdict('writes', '0', '0', true)];

test('people read what was measured, each verdict, and below them how fast the machine was', () => {
  const [first, ...others] = asText('3 pools', [run], verdicts).split('\n');
  expect(first).toMatch(/^3 pools; median of 1\. \d+ CPUs /);
  expect(others).toEqual([
    '',
    '| | target | measured | |',
    '|---|---|---|---|',
    '| speed | ≤ 1 s | 2 s | MISSED |',
    '| writes | 0 | 0 | met |',
    '',
    'all is normalised to one speed of the machine, in brackets as measured: times of rollouts by what controller manager, ' +
      'scheduler and kubelets took of the processor for the same children (3.0 s and 3.0 s beside the baseline, 3.0 s and 3.0 s beside the operator, ' +
      'first rollout and new image), all else for a machine on which the reference work takes 750 ms',
    '',
  ]);
});

test('programs read the same', () => {
  const { machine, ...others } = JSON.parse(asJson({ rounds: [run] }, verdicts)) as Record<string, unknown>;
  expect(machine).toContain(process.version);
  expect(others).toEqual({ rounds: [run], verdicts });
});
