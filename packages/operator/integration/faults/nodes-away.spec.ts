// AdvancedRollingUpdate on nodes that really drop off: their kubelets stand still, the node controller finds out, and they come back.
import { daemonSetUpdate } from '@atoll/api';
import { daemonSets, isReady, pods } from '@atoll/kube';
import type { DaemonSet, Pod, Stored, StreamingClient } from '@atoll/kube';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  startOperatorControlPlane,
  withoutElection,
  type OperatorControlPlane,
} from '../set-up/operator-control-plane.ts';
import { eventually } from '../set-up/standing.ts';

const { annotations } = daemonSetUpdate;
const key = { namespace: 'default', name: 'agent' };
const [here, away] = ['here', 'away'];
const perDomain = 4;

let world: OperatorControlPlane;
let client: StreamingClient;

beforeAll(async () => {
  const ofPool = (pool: string) => `apps.openyurt.io/nodepool=${pool}`;
  world = await startOperatorControlPlane({
    fleet: { pools: [here, away], nodesPerPool: perDomain },
    kwokDomains: { [here]: ofPool(here), [away]: ofPool(away) },
    nodeLeaseSeconds: 4,
    nodeMonitorGraceSeconds: 6,
  });
  ({ client } = world);
  await world.controlPlane.nodesReady();
  await world.start({ args: [...withoutElection, '--controllers=daemon-set-upgrade'] });
  const labels = { app: key.name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'agent', image: 'agent:1' }] } };
  const daemonSet: DaemonSet = {
    metadata: {
      ...key,
      annotations: {
        [annotations.updateStrategy]: 'AdvancedRollingUpdate',
        [annotations.maxUnavailable]: '1',
        [annotations.awayNodeCountsSeconds]: '2',
      },
    },
    spec: { selector: { matchLabels: labels }, updateStrategy: { type: 'OnDelete' }, template },
  };
  await client.create(daemonSets, daemonSet);
}, 120_000);

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

async function setImage(image: string): Promise<void> {
  const body = { spec: { template: { spec: { containers: [{ name: 'agent', image }] } } } };
  await client.patch(daemonSets, key, { type: 'strategic', body });
}

/** The nodes on which a pod with the image is Ready. */
async function available(image: string): Promise<readonly string[]> {
  const { items } = await client.list(pods, { namespace: key.namespace, labelSelector: `app=${key.name}` });
  return items
    .filter((pod) => isAvailable(pod) && pod.spec?.containers[0]?.image === image)
    .map(({ spec }) => spec?.nodeName ?? '')
    .sort();
}

function isAvailable(pod: Stored<Pod>): boolean {
  return pod.metadata.deletionTimestamp === undefined && isReady(pod);
}

async function upToDate() {
  const { status } = await client.get(daemonSets, key);
  return status?.conditions?.find(({ type }) => type === 'atoll.dev/UpToDate');
}

const timeout = { timeout: 400_000 };
/** Until a node counts as away, and its pods end, takes most of a minute. */
const patienceMs = 180_000;

it(
  'goes on without nodes that are cut off in the middle of a rollout, and upgrades them when they are back',
  timeout,
  async () => {
    await eventually(async () => expect(await available('agent:1')).toHaveLength(2 * perDomain));
    await setImage('agent:2');
    await eventually(async () => expect((await available('agent:2')).length).toBeGreaterThan(0));
    await world.controlPlane.cutDomain(away);
    // Its pods look as they did; those that are being deleted stay so, and use up the budget for a while.
    await eventually(async () => {
      const reached = (await available('agent:2')).filter((node) => node.startsWith(here));
      expect(reached).toHaveLength(perDomain);
    }, patienceMs);
    await eventually(async () => {
      expect(await upToDate()).toMatchObject({
        status: 'False',
        message: expect.stringContaining(away) as string,
      });
    });
    await world.controlPlane.restoreDomain(away);
    await eventually(async () => {
      expect(await available('agent:2')).toHaveLength(2 * perDomain);
      expect(await upToDate()).toMatchObject({ status: 'True' });
    });
  },
);

it('goes on without a node that is deleted in the middle of a rollout', async () => {
  await setImage('agent:3');
  await eventually(async () => expect((await available('agent:3')).length).toBeGreaterThan(0));
  const gone = `${here}-node-4`;
  await world.controlPlane.removeNodes([gone]);
  await eventually(async () => {
    // Its pod is collected later.
    const others = (await available('agent:3')).filter((node) => node !== gone);
    expect(others).toHaveLength(2 * perDomain - 1);
    expect(await upToDate()).toMatchObject({
      status: 'True',
      message: `all ${2 * perDomain - 1} nodes run the current template and their pods are available`,
    });
  });
});
