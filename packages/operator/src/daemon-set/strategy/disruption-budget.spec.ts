import { daemonSetUpdate } from '@atoll/api';
import { ApiError, conditionOf, daemonSets, pods } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { outdatedDaemonSet } from '../../../simulation/examples/outdated-daemon-set.ts';
import { createDaemonSetUpgradeController } from '../controller.ts';

const { annotations, daemonSetConditions } = daemonSetUpdate;
const names = Array.from({ length: 60 }, (_, index) => `n${String(index).padStart(2, '0')}`);

/** A DaemonSet of 60 nodes, all of which may be unavailable, whose pods are evicted where that is allowed: by their node, and how many were evicted. */
function evicting(isAllowed: (node: string, evicted: number) => boolean) {
  const asked = { [annotations.maxUnavailable]: '60', [annotations.respectDisruptionBudgets]: 'true' };
  const { world } = outdatedDaemonSet(asked, names);
  const controller = createDaemonSetUpgradeController(world.readers);
  let sent = 0;
  const left = (): number =>
    world.list(pods).filter(({ metadata }) => metadata.deletionTimestamp === undefined).length;
  world.refuse = (operation) => {
    if (operation.verb !== 'delete') return undefined;
    sent += 1;
    const node = world.get(pods, operation.key).spec?.nodeName ?? '';
    if (isAllowed(node, names.length - left())) return undefined;
    const attempted = `create eviction of pod ${operation.key.name}`;
    const message = "Cannot evict pod as it would violate the pod's disruption budget.";
    return new ApiError({ fate: 'refused', code: 429, reason: 'TooManyRequests', attempted, message });
  };
  return {
    reconcile: () => {
      const before = sent;
      world.reconcile(controller, 'edge/agent');
      return sent - before;
    },
    left,
    held: () =>
      conditionOf(world.get(daemonSets, { namespace: 'edge', name: 'agent' }), daemonSetConditions.held),
  };
}

describe('a PodDisruptionBudget', () => {
  it('that allows no eviction is not asked about every pod in each reconcile', () => {
    const { reconcile, left, held } = evicting(() => false);
    for (let again = 0; again < 5; again += 1) expect(reconcile()).toBeLessThanOrEqual(10);
    expect(left()).toBe(60);
    expect(held()?.message).toContain("Cannot evict pod as it would violate the pod's disruption budget.");
  });

  it('is asked for all that it allows', () => {
    const { reconcile, left } = evicting((_, evicted) => evicted < 45);
    expect(reconcile()).toBeLessThanOrEqual(55);
    expect(left()).toBe(15);
  });

  it('that keeps the pods of some nodes keeps those of no others', () => {
    const { reconcile, left } = evicting((node) => node >= 'n35');
    for (let again = 0; again < 6; again += 1) reconcile();
    expect(left()).toBe(35);
  });
});
