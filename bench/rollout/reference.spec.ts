import { expect, test } from 'vitest';
import { referenceLine, type Reference } from './reference.ts';
import { referenceWork } from './reference-work.ts';

function reference(before: number, after: number): Reference {
  return {
    before: { cpuMs: before, elapsedMs: before + 1 },
    after: { cpuMs: after, elapsedMs: after + 1 },
  };
}

test('the reference work is the same that it always was', () => {
  expect(referenceWork(3)).toBe('f85e33b5f919f1ed31aec4181b50a0fc984be0ef5c38bdf9efa8667a8fa458e5');
});

test('a reader sees what the reference work took before and after', () => {
  expect(referenceLine([reference(1000, 1100)])).toBe(
    'the reference work took 1000 ms before and 1100 ms after (processor time; by the clock 1001 ms and 1101 ms)',
  );
});

test('of several runs a reader sees each, also where two are alike', () => {
  expect(referenceLine([reference(1000, 1300), reference(1000, 1200)])).toBe(
    'the reference work took 1000, 1000 ms before and 1300, 1200 ms after ' +
      '(processor time, run by run; by the clock 1001, 1001 ms and 1301, 1201 ms)',
  );
});
