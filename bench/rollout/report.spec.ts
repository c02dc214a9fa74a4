import { expect, test } from 'vitest';
import type { FloorRound, Run } from './measurement.ts';
import { asJson, asText } from './report.ts';
import { verdict } from './verdict.ts';

const rollout = { writtenMs: 1, readyMs: 2 };
const both: FloorRound = { first: rollout, second: rollout };
const time = { cpuMs: 1000, elapsedMs: 2000 };
const run: Run<FloorRound> = { floor: both, operator: both, reference: { before: time, after: time } };
const verdicts = [verdict('speed', '≤ 1 s', '2 s', false), verdict('writes', '0', '0', true)];

test('people read what was measured, each verdict, and below them what the machine was like', () => {
  const [first, ...others] = asText('3 pools', [run], verdicts).split('\n');
  expect(first).toMatch(/^3 pools; median of 1\. \d+ CPUs /);
  expect(others).toEqual([
    '',
    '| | target | measured | |',
    '|---|---|---|---|',
    '| speed | ≤ 1 s | 2 s | MISSED |',
    '| writes | 0 | 0 | met |',
    '',
    'the reference work took 1000 ms before and 1000 ms after (processor time; by the clock 2000 ms and 2000 ms)',
    '',
  ]);
});

test('programs read the same, with the reference beside each run', () => {
  const { machine, ...others } = JSON.parse(asJson({ rounds: [run] }, verdicts)) as Record<string, unknown>;
  expect(machine).toContain(process.version);
  expect(others).toEqual({ rounds: [run], verdicts });
});
