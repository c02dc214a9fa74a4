import { expect, test } from 'vitest';
import { atNominalSpeed, meanBetween, PaceMeter } from './pace.ts';
import { span } from './span.fixture.ts';
import { referenceWork } from './reference-work.ts';

const samples = [
  { at: 100, referenceMs: 1000 },
  { at: 350, referenceMs: 1500 },
  { at: 600, referenceMs: 1300 },
];

test('the reference work is the same that it always was', () => {
  expect(referenceWork(3)).toBe('f85e33b5f919f1ed31aec4181b50a0fc984be0ef5c38bdf9efa8667a8fa458e5');
});

test.each([
  ['all of it', 0, 700, (1000 + 1500 + 1300) / 3],
  ['a part of it', 200, 600, 1400],
  ['what was shorter than the pause between two', 400, 500, 1500],
])('the pace of a time is the mean of its samples: %s', (_, from, to, mean) => {
  expect(meanBetween(samples, from, to)).toBe(mean);
});

test('without any sample there is no pace', () => {
  expect(meanBetween([], 0, 100)).toBeNaN();
});

test('what takes longer on a slower machine takes as long at one speed', () => {
  expect(atNominalSpeed(span(300, 1.5))).toBe(200);
  expect(atNominalSpeed(span(160, 0.8))).toBe(200);
});

test('a meter has the pace of what has just been measured', async () => {
  await using meter = await PaceMeter.start();
  const measured = meter.begin()(7);
  expect(measured.ms).toBe(7);
  expect(measured.referenceMs).toBeGreaterThan(0);
});
