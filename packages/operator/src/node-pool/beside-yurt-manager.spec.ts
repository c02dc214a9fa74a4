import { annotations, labels, nodePools, type NodePool } from '@atoll/api';
import { nodes, semanticallyEqual, type Fields } from '@atoll/kube';
import { expect, it } from 'vitest';
import { FreshWorld } from '../../simulation/examples/fresh-world.ts';
import { attributesOf } from './nodes/attributes.ts';
import { createNodePoolController } from './controller.ts';
import { leaversKey } from './nodes/node-key.ts';
import { changeOf } from './nodes/reconcile-node.ts';

const { hostNetwork, nodePool } = labels;
const { previousAttributes } = annotations;
const n1 = { name: 'n1' } as const;

interface How {
  /** Whether its webhook for nodes is on, which sets the label with every write. */
  readonly webhook: boolean;
  readonly pool?: NodePool['spec'];
  /** The node's annotations at first. */
  readonly noted?: Readonly<Record<string, string>>;
  readonly labelled?: Readonly<Record<string, string>>;
}

/** A node in a pool with a host network, and a yurt-manager that was not stopped (`reference/openyurt.md` 3.2.2 and 3.2.3). */
function besideYurtManager({ webhook, pool, noted = {}, labelled = {} }: How) {
  const world = new FreshWorld();
  world.put(nodePools, { metadata: { name: 'h' }, spec: { hostNetwork: true, ...pool } });
  world.put(nodes, {
    metadata: { ...n1, labels: { ...labelled, [nodePool]: 'h' }, annotations: noted },
  });
  const controller = createNodePoolController(world.readers);
  /** Its reconcile of the node; true: it wrote. */
  const theirs = (): boolean => {
    const { metadata } = world.get(nodes, n1);
    const { labels: wanted = {} } = world.get(nodePools, { name: 'h' }).spec ?? {};
    const record: Fields = JSON.parse(metadata.annotations?.[previousAttributes] ?? '{}');
    const recorded = (record['labels'] ?? {}) as Readonly<Record<string, string>>;
    if (metadata.labels?.[nodePool] !== 'h' || semanticallyEqual(recorded, wanted)) return false;
    const kept = Object.entries(metadata.labels).filter(
      ([key]) => !Object.hasOwn(recorded, key) || Object.hasOwn(wanted, key),
    );
    world.edit(nodes, n1, (found) => ({
      ...found,
      metadata: {
        ...found.metadata,
        labels: { ...Object.fromEntries(kept), ...wanted, ...(webhook ? { [hostNetwork]: 'true' } : {}) },
        annotations: {
          ...found.metadata.annotations,
          [previousAttributes]: JSON.stringify(Object.keys(wanted).length === 0 ? {} : { labels: wanted }),
        },
      },
    }));
    return true;
  };
  /** Both react to each other until nobody writes. */
  const settle = (key = 'h'): void => {
    for (let round = 0; round < 10; round += 1) {
      const isLookedAfter = controller.observe({ name: key }) !== undefined;
      const results = isLookedAfter ? world.reconcile(controller, key).outcome.results : [];
      const wrote = results.some(({ step }) => step.do === 'patch' && step.target !== undefined);
      if (!theirs() && !wrote) return;
    }
    throw new Error('they write without end');
  };
  return {
    settle,
    label: () => world.get(nodes, n1).metadata.labels?.[hostNetwork],
    leave: () => {
      world.edit(nodes, n1, (found) => {
        const { [nodePool]: _, ...rest } = found.metadata.labels ?? {};
        return { ...found, metadata: { ...found.metadata, labels: rest } };
      });
      settle(leaversKey);
    },
    notes: () => world.get(nodes, n1).metadata.annotations,
  };
}

const before = { [previousAttributes]: JSON.stringify({ labels: { [hostNetwork]: 'true' } }) };

it.each<readonly [string, How]>([
  ['without its webhook for nodes', { webhook: false }],
  ['with its webhook for nodes', { webhook: true }],
  ['where the pool has labels, too', { webhook: false, pool: { labels: { region: 'x' } } }],
  ['where the pool gives the label itself', { webhook: false, pool: { labels: { [hostNetwork]: 'true' } } }],
  ['where it was recorded before', { webhook: false, noted: before, labelled: { [hostNetwork]: 'true' } }],
])(
  'beside a yurt-manager that goes on, both come to rest %s, and what leaves loses the label',
  (_title, how) => {
    const { settle, label, leave, notes } = besideYurtManager(how);
    settle();
    expect(label()).toBe('true');
    leave();
    expect(label()).toBeUndefined();
    expect(notes()).toEqual({});
  },
);

it('a record of an earlier release that holds the label stays as it is', () => {
  const metadata = { ...n1, labels: { [hostNetwork]: 'true', [nodePool]: 'h' }, annotations: before };
  const pool: NodePool = { metadata: { name: 'h' }, spec: { hostNetwork: true } };
  expect(changeOf({ metadata }, attributesOf(pool))).toBeUndefined();
});

it('a value that the node had before comes back', () => {
  const { settle, label, leave } = besideYurtManager({ webhook: false, labelled: { [hostNetwork]: 'no' } });
  settle();
  expect(label()).toBe('true');
  leave();
  expect(label()).toBe('no');
});
