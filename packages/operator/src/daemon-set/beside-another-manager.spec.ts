import { daemonSetUpdate } from '@atoll/api';
import { conditionOf, daemonSets, pods } from '@atoll/kube';
import { expect, it } from 'vitest';
import { outdatedDaemonSet } from '../../simulation/examples/outdated-daemon-set.ts';
import { createDaemonSetUpgradeController } from './controller.ts';

const { annotations, podConditions } = daemonSetUpdate;
const key = { namespace: 'edge', name: 'agent' };

/** OTA, and a yurt-manager that is not seen. It looks at a DaemonSet whenever that changes, and at no pod; of templates it has hashes of its own. */
function besideAnother() {
  const { world } = outdatedDaemonSet({ [annotations.updateStrategy]: 'OTA' }, ['a', 'b']);
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
