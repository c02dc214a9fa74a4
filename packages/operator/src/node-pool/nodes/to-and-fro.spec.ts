import { expect, test } from 'vitest';
import { labels, nodePools, type NodePool } from '@atoll/api';
import { nodes } from '@atoll/kube';
import { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import { ChangedBack } from '../../engine/executor/answers/changed-back.ts';
import { createNodePoolController } from '../controller.ts';
import { leaversKey } from './node-key.ts';

const taintOf = (pool: string) => ({ key: 'site', value: pool, effect: 'NoExecute' }) as const;

function pool(name: string): NodePool {
  return { metadata: { name }, spec: { labels: { site: name }, taints: [taintOf(name)] } };
}

/** Puts a node into one pool after the other, every few seconds; of `c` there is none. Yields which writes would have to wait. */
function heldOnTheWay(places: readonly (string | undefined)[]): readonly string[] {
  const world = new FreshWorld();
  const controller = createNodePoolController(world.readers);
  const written = new ChangedBack();
  for (const name of ['a', 'b']) world.put(nodePools, pool(name));
  world.put(nodes, { metadata: { name: 'n1' } });
  return places.flatMap((place, move) => {
    const at = move * 4_000;
    world.edit(nodes, { name: 'n1' }, (found) => {
      const { [labels.nodePool]: _, ...others } = found.metadata.labels ?? {};
      const member = place === undefined ? {} : { [labels.nodePool]: place };
      return { ...found, metadata: { ...found.metadata, labels: { ...others, ...member } } };
    });
    const key = place ?? leaversKey;
    const { plan, outcome } = world.reconcile(controller, key);
    const held = [...(written.heldBack(key, plan, at)?.values() ?? [])];
    written.ended(key, outcome.results, at);
    const { metadata, spec } = world.get(nodes, { name: 'n1' });
    const given = place === 'c' ? undefined : place;
    expect(metadata.labels?.['site']).toBe(given);
    expect(spec?.taints ?? []).toEqual(given === undefined ? [] : [taintOf(given)]);
    return held.map(({ reason }) => `${move}: ${reason}`);
  });
}

test.each([
  ['two pools', ['a', 'b']],
  ['a pool and none', ['a', undefined]],
  ['a pool and one that does not exist', ['a', 'c']],
])('a node that goes to and fro between %s is never taken for one that somebody changes back', (_, two) => {
  expect(heldOnTheWay(Array.from({ length: 20 }, (_each, move) => two[move % 2]))).toEqual([]);
});
