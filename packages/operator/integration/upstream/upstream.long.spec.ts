// OpenKruise's end-to-end tests of adaptive UnitedDeployments, retold with their own seconds.
import { nodes } from '@atoll/kube';
import { afterAll, beforeAll, describe } from 'vitest';
import {
  startOperatorControlPlane,
  withoutElection,
  type OperatorControlPlane,
} from '../set-up/operator-control-plane.ts';
import { adaptations, kruiseScenarios } from './kruise.ts';

let world: OperatorControlPlane;

beforeAll(async () => {
  world = await startOperatorControlPlane({ fleet: { nodes: 2 } });
  await world.start({ args: withoutElection });
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

describe.concurrent("OpenKruise's suite", { timeout: 15 * 60_000 }, () => {
  const labelWorker = async (labels: Readonly<Record<string, string>>): Promise<void> => {
    const { client } = world;
    const [worker] = (await client.list(nodes)).items;
    if (worker === undefined) throw new Error('there are nodes');
    await client.patch(
      nodes,
      { name: worker.metadata.name },
      { type: 'merge', body: { metadata: { labels } } },
    );
  };
  kruiseScenarios(() => ({ client: world.client, labelWorker }), adaptations, ['deploymentTemplate']);
});
