import { expect, it } from 'vitest';
import { GoneUids } from './gone-uids.ts';

it('remembers the last 1,024 uids', () => {
  const gone = new GoneUids();
  for (let number = 0; number <= 1024; number += 1) gone.add(`uid-${number}`);
  expect(gone.describe()).toHaveLength(1024);
  expect([gone.has('uid-0'), gone.has('uid-1'), gone.has('uid-1024')]).toEqual([false, true, true]);
});
