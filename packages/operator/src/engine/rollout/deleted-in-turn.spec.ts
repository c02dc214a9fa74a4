import { describe, expect, it } from 'vitest';
import { refusedRetryMs } from '../executor/answers/refusals.ts';
import { deletedInTurn, triedAgainAtMost } from './deleted-in-turn.ts';

const now = Date.parse('2026-01-01T01:00:00Z');

/** Which of so many pods are tried in the turns from now on, where so many may be at a time. */
function tried(count: number, places: number, turns: number): number {
  const nodes = Array.from({ length: count }, (_, index) => `n${index}`);
  const found = new Set<string>();
  for (let passed = 0; passed < turns; passed += 1) {
    const order = deletedInTurn(nodes, now + passed * refusedRetryMs);
    for (const [node, place] of order) if (place < places) found.add(node);
  }
  return found.size;
}

describe('pods whose deletion was refused', () => {
  it.each([1, 19, 20, 21, 40, 45, 70, 400])('are all tried in one round where there is room: %i', (count) => {
    expect(tried(count, triedAgainAtMost, Math.ceil(count / triedAgainAtMost) + 1)).toBe(count);
  });

  it.each([1, 2, 19, 20, 21, 40, 45, 70])('are all tried in turn where there is one place: %i', (count) => {
    expect(tried(count, 1, 2 * count + triedAgainAtMost)).toBe(count);
  });
});
