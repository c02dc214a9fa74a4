// Somebody else's webhook does not answer. The API server may ignore it in the end, so an administrator's write gets through after its
// timeout; so does ours, and meanwhile it stops nothing that the webhook is not asked about.
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { nodePools, unitedDaemonSets } from '@atoll/api';
import { deployments, events, namespaces, validatingWebhookConfigurations } from '@atoll/kube';
import { concernsWrite, writesOf } from '@atoll/testbed';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apply, daemon, imageOf, pool } from '../set-up/objects.ts';
import {
  operatorUser,
  withoutElection,
  type OperatorControlPlane,
} from '../set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../set-up/shared-operator-control-plane.ts';
import { conditionsOf, eventually } from '../set-up/standing.ts';

const names = ['edge-1', 'edge-2'];
const slow = 'slow';
const quick = 'default';
const children = 'deployments.apps';

const app = { app: 'probe' };
const podless = {
  selector: { matchLabels: app },
  template: { metadata: { labels: app }, spec: { containers: [{ name: 'web', image: 'nginx' }] } },
};

let world: OperatorControlPlane;
let silent: Server;
const sockets = new Set<Socket>();

beforeAll(async () => {
  world = await sharedOperatorControlPlane({ fleet: { pools: names, nodesPerPool: 1 } });
  const { client } = world;
  silent = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
  });
  await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
  await client.create(namespaces, { metadata: { name: slow } });
  for (const name of names) await apply(client, nodePools, pool(name, { edge: 'yes' }));
  await world.start({ args: withoutElection });
});

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  silent?.close();
  await world?.[Symbol.asyncDispose]();
});

async function roll(namespace: string, image: string): Promise<void> {
  const { metadata, ...rest } = daemon({ name: 'web', pools: { edge: 'yes' }, replicas: 1, image });
  await apply(world.client, unitedDaemonSets, { ...rest, metadata: { ...metadata, namespace } });
}

async function isReady(namespace: string): Promise<void> {
  await eventually(async () => {
    const conditions = await conditionsOf(world.client, unitedDaemonSets, 'web', namespace);
    expect(conditions).toMatchObject({ Ready: { status: 'True' } });
  }, 120_000);
}

async function images(namespace: string): Promise<readonly (string | undefined)[]> {
  return (await world.client.list(deployments, { namespace })).items.map(imageOf);
}

/** Asked about what the operator writes in one namespace: children, statuses and events. */
async function installSilentWebhook(): Promise<void> {
  const { port } = silent.address() as AddressInfo;
  const rule = (group: string, version: string, resource: string) => ({
    apiGroups: [group],
    apiVersions: [version],
    operations: ['CREATE', 'UPDATE'],
    resources: [resource],
  });
  const webhook = (name: string, timeoutSeconds: number, rules: readonly ReturnType<typeof rule>[]) => ({
    name: `${name}.example.com`,
    failurePolicy: 'Ignore' as const,
    timeoutSeconds,
    sideEffects: 'None' as const,
    admissionReviewVersions: ['v1'],
    clientConfig: { url: `https://127.0.0.1:${port}/` },
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': slow } },
    matchConditions: [
      {
        name: 'ours',
        expression: `request.userInfo.username == "${operatorUser}" || object.metadata.name == "probe"`,
      },
    ],
    rules,
  });
  await apply(world.client, validatingWebhookConfigurations, {
    metadata: { name: 'silent' },
    webhooks: [
      // Long enough for what must not wait for it, on a slow machine too.
      webhook('children', 20, [rule('apps', 'v1', 'deployments')]),
      webhook('others', 10, [
        rule('apps.openyurt.io', '*', 'uniteddaemonsets/status'),
        rule('events.k8s.io', 'v1', 'events'),
      ]),
    ],
  });
}

/** The API server learns of it a moment later. */
async function whenAsked(): Promise<void> {
  const probe = { metadata: { namespace: slow, name: 'probe' }, spec: podless };
  await eventually(async () => {
    await world.client
      .create(deployments, probe, { dryRun: true, timeoutMs: 500, attempts: 1 })
      .catch(() => undefined);
    expect(sockets.size).toBeGreaterThan(0);
  });
}

it(
  'gets through with the first try where a webhook keeps its writes for as long as it may',
  { timeout: 300_000 },
  async () => {
    const { client, recording } = world;
    for (const namespace of [slow, quick]) await roll(namespace, 'nginx:1.27');
    for (const namespace of [slow, quick]) await isReady(namespace);
    await installSilentWebhook();
    await whenAsked();
    const since = Date.now();
    await roll(slow, 'nginx:1.28');
    await roll(quick, 'nginx:1.28');
    await eventually(async () => expect(await images(quick)).toEqual(['nginx:1.28', 'nginx:1.28']));
    await eventually(async () => expect(await images(slow)).toEqual(['nginx:1.28', 'nginx:1.28']), 120_000);
    await isReady(slow);
    const written = { user: operatorUser, since, resources: [children] };
    const writes = async (namespace: string) =>
      writesOf(await recording.history()).filter(
        (write) => concernsWrite(written, write) && write.audit.namespace === namespace,
      );
    // The API server writes a line of its audit log after the answer.
    await eventually(async () =>
      expect((await writes(slow)).map(({ result }) => result)).toEqual(['changed', 'changed']),
    );
    // What was kept has not stopped the others.
    const answered = async (namespace: string) => (await writes(namespace)).map(({ audit }) => audit.at);
    const quickly = (await answered(quick)).slice(0, names.length);
    expect(quickly).toHaveLength(names.length);
    expect(Math.max(...quickly)).toBeLessThan(Math.min(...(await answered(slow))));
    await eventually(async () => {
      const { items } = await client.list(events, { namespace: slow });
      const updates = items.filter(
        ({ eventTime, action }) => action === 'Update' && Date.parse(eventTime ?? '') >= since,
      );
      expect(updates.length).toBeGreaterThan(0);
    }, 120_000);
  },
);
