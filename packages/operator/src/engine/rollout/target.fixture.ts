import fc from 'fast-check';
import type { Target } from './target.ts';

/** A reachable and healthy target that runs the revision `old` and is to run `new`. */
export function target(id: string, over: Partial<Target> = {}): Target {
  return {
    id,
    labels: {},
    at: { revision: 'old' },
    wanted: 'new',
    health: 'healthy',
    reach: 'reachable',
    ...over,
  };
}

const revision = fc.constantFrom('old', 'new', 'newest');

/** Anything that a target may be, at moments from 0 to 100,000. */
const anyTarget: fc.Arbitrary<Omit<Target, 'id'>> = fc.record({
  labels: fc.constant({}),
  zone: fc.constantFrom('a', 'b', 'c'),
  at: fc.oneof(
    { weight: 4, arbitrary: revision.map((name) => ({ revision: name })) },
    fc.constantFrom('nothing' as const, 'unknown' as const),
  ),
  wanted: revision,
  health: fc.constantFrom('healthy', 'starting', 'broken', 'gone'),
  reach: fc.oneof(
    { weight: 3, arbitrary: fc.constant('reachable' as const) },
    fc.nat(100_000).map((awaySince) => ({ awaySince })),
  ),
});

/** Targets with ids of their own, in any order. */
export const anyTargets: fc.Arbitrary<readonly Target[]> = fc
  .uniqueArray(fc.integer({ min: 0, max: 99 }), { maxLength: 12 })
  .chain((ids) => fc.tuple(...ids.map((id) => anyTarget.map((each) => ({ ...each, id: `t${id}` })))));
