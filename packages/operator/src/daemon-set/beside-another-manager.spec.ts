import { daemonSetUpdate } from '@atoll/api';
import { conditionOf, controllerRevisions, daemonSets, nodes, pods } from '@atoll/kube';
import { expect, it } from 'vitest';
import { FreshWorld } from '../../simulation/examples/fresh-world.ts';
import { withoutIdentity } from '../../simulation/messages/without-identity.ts';
import { createDaemonSetUpgradeController } from './controller.ts';
import { agent, node, podOn, revision } from './daemon-set.fixture.ts';

const { annotations, podConditions } = daemonSetUpdate;
const key = { namespace: 'edge', name: 'agent' };

/** OTA, and a yurt-manager that is not seen. It looks at a DaemonSet whenever that changes, and at no pod; of templates it has hashes of its own. */
function besideAnother() {
  const world = new FreshWorld();
  const owner = world.put(daemonSets, withoutIdentity(agent({ [annotations.updateStrategy]: 'OTA' })));
  world.edit(daemonSets, key, (each) => ({
    ...each,
    status: { ...each.status, observedGeneration: each.metadata.generation },
  }));
  const ownerReferences = [
    { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: owner.metadata.uid, controller: true },
  ];
  const owned = <T extends { readonly metadata: object }>(object: T): T => ({
    ...object,
    metadata: { ...object.metadata, ownerReferences },
  });
  for (const each of [revision('old', 1), revision('new', 2)])
    world.put(controllerRevisions, owned(withoutIdentity(each)));
  for (const name of ['a', 'b']) {
    world.put(nodes, withoutIdentity(node(name)));
    world.put(pods, owned(withoutIdentity(podOn(name))));
  }
  const controller = createDaemonSetUpgradeController(world.readers);
  const versionOf = (): string => world.get(daemonSets, key).metadata.resourceVersion;
  let seen = '';
  let writes = 0;
  const other = (): boolean => {
    if (versionOf() === seen) return false;
    seen = versionOf();
    for (const pod of world.list(pods)) {
      const conditions = (pod.status?.conditions ?? []).filter(
        ({ type }) => type !== podConditions.needUpgrade,
      );
      const theirs = {
        type: podConditions.needUpgrade,
        status: 'True',
        message: 'controllerrevision: theirs',
      };
      world.edit(pods, pod.metadata, (each) => ({
        ...each,
        status: { ...each.status, conditions: [...conditions, theirs] },
      }));
    }
    return true;
  };
  /** Both react to each other until nobody writes. */
  const settle = (): void => {
    for (let round = 0; round < 100; round += 1) {
      const { outcome, statusWritten } = world.reconcile(controller, 'edge/agent');
      writes += outcome.results.length;
      if (!other() && outcome.results.length === 0 && !statusWritten) return;
    }
    throw new Error('they write without end');
  };
  return {
    settle,
    writes: () => writes,
    counts: (numberReady: number) => {
      world.edit(daemonSets, key, (each) => ({ ...each, status: { ...each.status, numberReady } }));
    },
    shown: () => world.list(pods).map((pod) => conditionOf(pod, podConditions.needUpgrade)?.message),
  };
}

it('puts right what another manager writes on pods once for each change of the DaemonSet, and both come to rest', () => {
  const { settle, writes, counts, shown } = besideAnother();
  settle();
  expect(shown()).toEqual(['controllerrevision: new', 'controllerrevision: new']);
  const before = writes();
  counts(1);
  settle();
  expect(shown()).toEqual(['controllerrevision: new', 'controllerrevision: new']);
  expect(writes() - before).toBe(2);
});
