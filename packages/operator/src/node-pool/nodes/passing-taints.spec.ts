import fc from 'fast-check';
import { expect, it } from 'vitest';
import { annotations, labels, nodePools } from '@atoll/api';
import { nodes, type Node, type Taint } from '@atoll/kube';
import { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import { createNodePoolController } from '../controller.ts';
import { leaversKey } from './node-key.ts';

const taints = fc
  .constantFrom(undefined, 'own', 'x', 'y')
  .map((value): readonly Taint[] =>
    value === undefined ? [] : [{ key: 'gate', value, effect: 'NoExecute' }],
  );
const pool = fc.constantFrom(undefined, 'a', 'b');

/** What an old operator, or Atoll, may have left, and what people do then. */
const history = fc.record({
  wanted: fc.record({ a: taints, b: taints }),
  live: taints,
  record: fc.option(taints, { nil: undefined }),
  earlier: fc.option(taints, { nil: undefined }),
  member: pool,
  asks: pool,
  followed: pool,
  isSeen: fc.boolean(),
  isCounted: fc.boolean(),
  changes: fc.array(
    fc.oneof(
      fc.record({ label: fc.constantFrom(labels.nodePool, labels.desiredNodePool), to: pool }),
      fc.record({ pool: fc.constantFrom('a', 'b'), taints }),
    ),
    { maxLength: 4 },
  ),
});

type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

const given = (map: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(map).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );

const recordOf = (found: readonly Taint[] | undefined): string | undefined =>
  found === undefined ? undefined : JSON.stringify({ taints: found });

function start({ wanted, live, record, earlier, member, asks, followed, isSeen, isCounted }: History) {
  const world = new FreshWorld();
  const status = {
    ...(isCounted ? { readyNodeNum: 1, unreadyNodeNum: 0, nodes: ['n1'] } : {}),
    ...(isSeen ? { observedGeneration: 1 } : {}),
  };
  for (const [name, of] of Object.entries(wanted))
    world.put(nodePools, { metadata: { name }, spec: { taints: of as never }, status });
  const notes = given({
    [annotations.followedPool]: followed,
    [annotations.previousAttributes]: recordOf(record),
    [annotations.earlierAttributes]: recordOf(earlier),
  });
  world.put(nodes, {
    metadata: {
      name: 'n1',
      labels: given({ [labels.nodePool]: member, [labels.desiredNodePool]: asks }),
      annotations: notes,
    },
    spec: { taints: live },
  });
  return world;
}

const taintsIn = (world: FreshWorld): readonly string[] =>
  (world.get<Node>(nodes, { name: 'n1' }).spec?.taints ?? []).map(({ key, value }) => `${key}=${value}`);

/** The taints of the node after each reconcile of each key, until all have come to rest. */
function passed(world: FreshWorld): readonly (readonly string[])[] {
  const controller = createNodePoolController(world.readers);
  const seen: (readonly string[])[] = [];
  for (let round = 0; round < 4; round += 1) {
    for (const name of ['a', 'b', leaversKey]) {
      if (controller.observe({ name }) === undefined) continue;
      world.reconcile(controller, name);
      seen.push(taintsIn(world));
    }
  }
  return seen;
}

function change(world: FreshWorld, each: History['changes'][number]): void {
  if ('pool' in each) {
    world.edit(nodePools, { name: each.pool }, (found) => ({
      ...found,
      spec: { ...found.spec, taints: each.taints },
    }));
    return;
  }
  world.edit<Node>(nodes, { name: 'n1' }, ({ metadata, ...rest }) => ({
    ...rest,
    metadata: { ...metadata, labels: given({ ...metadata.labels, [each.label]: each.to }) },
  }));
}

it('a node passes through no NoExecute taint that it neither had nor is to have, and loses none that it keeps', () => {
  const holds = (of: History): void => {
    const world = start(of);
    for (const next of [undefined, ...of.changes]) {
      if (next !== undefined) change(world, next);
      const before = taintsIn(world);
      const between = passed(world);
      const after = taintsIn(world);
      const passing = between.flat().filter((taint) => !before.includes(taint) && !after.includes(taint));
      const kept = before.filter((taint) => after.includes(taint));
      const lost = between.flatMap((found) => kept.filter((taint) => !found.includes(taint)));
      expect({ passing, lost }).toEqual({ passing: [], lost: [] });
    }
  };
  fc.assert(fc.property(history, holds), { numRuns: 500 });
});
