import { expect } from 'vitest';
import { explore } from '../simulation/explorer.ts';

/** Explores a world that must hold every rule; the count of its states shows that something was explored at all. */
export function expectSafe(world: Parameters<typeof explore>[0]): void {
  const { violation, states } = explore(world);
  expect(violation?.story).toBeUndefined();
  expect(states).toBeGreaterThan(50);
}
