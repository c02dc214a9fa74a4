// The old projects' own end-to-end suites, retold: OpenYurt's of NodePool and YurtAppDaemon, OpenKruise's of
// UnitedDeployment. Those that wait for minutes are in upstream.long.spec.ts.
import { namespaces } from '@atoll/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutElection, type OperatorControlPlane } from '../set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../set-up/shared-operator-control-plane.ts';
import { eventually } from '../set-up/standing.ts';
import { allocations, kruiseScenarios } from './kruise.ts';
import { cleanUp, makeDaemon, makePools, phasesIn, poolScenarios, readyNodesOf } from './openyurt.ts';

let world: OperatorControlPlane;

beforeAll(async () => {
  world = await sharedOperatorControlPlane({ fleet: { nodes: 2 } });
  await world.start({ args: withoutElection });
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

describe("OpenYurt's suite", () => {
  it.each([1, 2])('passes as a whole, round %i', async (round) => {
    const { client } = world;
    for (const pools of poolScenarios) {
      await cleanUp(client);
      await makePools(client, pools);
      const wanted = Object.entries(pools).map(([pool, members]) => [pool, members.length]);
      await eventually(async () => expect(await readyNodesOf(client)).toEqual(Object.fromEntries(wanted)));
      await cleanUp(client);
    }
    await cleanUp(client);
    await makePools(client, { beijing: ['node-1'], hangzhou: ['node-2'] });
    const namespace = `yurtappdaemon-e2e-test-${round}`;
    await makeDaemon(client, namespace);
    for (const pool of ['beijing', 'hangzhou']) {
      await eventually(async () => expect(await phasesIn(client, namespace, pool)).toEqual(['Running']));
    }
    await client.delete(namespaces, { name: namespace });
    await cleanUp(client);
  });
});

describe.concurrent("OpenKruise's suite", () => {
  kruiseScenarios(() => ({ client: world.client, labelWorker: async () => undefined }), allocations, [
    'deploymentTemplate',
    'statefulSetTemplate',
  ]);
});
