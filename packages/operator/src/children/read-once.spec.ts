import { expect, it } from 'vitest';
import { readOnce } from './read-once.ts';

it('reads a frozen object once, and one that may change each time', () => {
  let reads = 0;
  const read = readOnce(({ image }: { readonly image: string }) => ({ image, reads: ++reads }));
  const frozen = Object.freeze({ image: 'web:1' });
  expect(read(frozen)).toBe(read(frozen));
  const open = { image: 'web:2' };
  expect([read(open).reads, read(open).reads]).toEqual([2, 3]);
});
