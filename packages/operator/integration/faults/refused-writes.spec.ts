// What the API server refuses is tried again every thirty seconds and no more often, whatever else causes reconciles.
import { nodePools, unitedDeployments, yurtAppDaemons } from '@atoll/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventsFor } from '../set-up/events-for.ts';
import { apply, pool } from '../set-up/objects.ts';
import { withoutElection, type OperatorControlPlane } from '../set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../set-up/shared-operator-control-plane.ts';
import {
  healsWithinMs,
  policyOnChildren,
  policyOnNodes,
  quotaOnChildren,
  refuseFor,
} from './refused-writes.ts';

let world: OperatorControlPlane;
/** The third try comes within, the fourth after it. */
const seconds = 35;

beforeAll(async () => {
  world = await sharedOperatorControlPlane({ fleet: { pools: ['hz', 'bj', 'refused'], nodesPerPool: 2 } });
  for (const name of ['hz', 'bj']) await apply(world.client, nodePools, pool(name, { tier: 'a' }));
  await world.start({ args: withoutElection });
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

describe.concurrent(
  'an object heals soon after its cause is gone, and is silent until then, and kubectl events --for reports why',
  () => {
    it('when a quota refused a child', { timeout: 300_000 }, async () => {
      expect(await refuseFor(world, await quotaOnChildren(world, 'quota'), seconds)).toBeLessThan(
        healsWithinMs,
      );
      expect(await eventsFor(world.client, unitedDeployments, 'quota', 'web')).not.toEqual([]);
    });

    it('when a policy refused a child', { timeout: 300_000 }, async () => {
      expect(await refuseFor(world, await policyOnChildren(world, 'policy'), seconds)).toBeLessThan(
        healsWithinMs,
      );
      expect(await eventsFor(world.client, yurtAppDaemons, 'policy', 'web')).not.toEqual([]);
    });

    it('when a policy refused the nodes of a pool', { timeout: 300_000 }, async () => {
      expect(await refuseFor(world, await policyOnNodes(world, 'refused'), seconds)).toBeLessThan(
        healsWithinMs,
      );
      expect(await eventsFor(world.client, nodePools, 'default', 'refused')).not.toEqual([]);
    });
  },
);
