// As refused-writes.spec.ts, for as long as it takes until somebody notices.
import { nodePools } from '@atoll/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
const durations = [3, 10] as const;

beforeAll(async () => {
  const refused = durations.map((minutes) => `refused-${minutes}`);
  world = await sharedOperatorControlPlane({ fleet: { pools: ['hz', 'bj', ...refused], nodesPerPool: 2 } });
  for (const name of ['hz', 'bj']) await apply(world.client, nodePools, pool(name, { tier: 'a' }));
  await world.start({ args: withoutElection });
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

describe.concurrent('an object heals soon after its cause is gone, and is silent until then', () => {
  for (const minutes of durations) {
    const limits = { timeout: (minutes + 5) * 60_000 };

    it(`when a quota refused a child for ${minutes} minutes`, limits, async () => {
      expect(
        await refuseFor(world, await quotaOnChildren(world, `quota-${minutes}`), 60 * minutes),
      ).toBeLessThan(healsWithinMs);
    });

    it(`when a policy refused a child for ${minutes} minutes`, limits, async () => {
      expect(
        await refuseFor(world, await policyOnChildren(world, `policy-${minutes}`), 60 * minutes),
      ).toBeLessThan(healsWithinMs);
    });

    it(`when a policy refused the nodes of a pool for ${minutes} minutes`, limits, async () => {
      expect(
        await refuseFor(world, await policyOnNodes(world, `refused-${minutes}`), 60 * minutes),
      ).toBeLessThan(healsWithinMs);
    });
  }
});
