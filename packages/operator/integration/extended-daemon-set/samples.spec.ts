// The README of the old operator and our guide, step by step: every manifest is applied with the real kubectl, and what the text promises
// of it is looked for. Commands of the plugin are in packages/cli/integration, the way from and to a DaemonSet in migration.spec.ts.
import { execFile } from 'node:child_process';
import { extendedDaemonsetSettings } from '@atoll/api';
import { namespaces, nodes, type StreamingClient } from '@atoll/kube';
import { obtainBinaries } from '@atoll/testbed';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settingOfManual } from '../../../api/integration/extended-samples.ts';
import { withoutElection, type OperatorControlPlane } from '../set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../set-up/shared-operator-control-plane.ts';
import { eventsAbout, eventually } from '../set-up/standing.ts';
import { observedObject, type ObservedObject } from './observed-object.ts';

const namespace = 'bar';
const nodeCount = 3;

let world: OperatorControlPlane;
let client: StreamingClient;
let binary: string;
let foo: ObservedObject;

beforeAll(async () => {
  world = await sharedOperatorControlPlane({ fleet: { pools: ['a'], nodesPerPool: nodeCount } });
  ({ client } = world);
  binary = (await obtainBinaries()).kubectl;
  await world.controlPlane.nodesReady();
  await client.create(namespaces, { metadata: { name: namespace } });
  foo = observedObject(client, 'foo', namespace);
  await world.start({ args: [...withoutElection, '--controllers=extended-daemon-set'] });
}, 120_000);

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

/** What it prints, errors too. */
async function kubectl(args: readonly string[], manifest?: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const all = [...args, '-n', namespace, '--kubeconfig', world.controlPlane.kubeconfig];
  const child = execFile(binary, all, (_, out, err) => resolve(out + err));
  // One that reads none may have ended before: `write EPIPE`.
  if (manifest !== undefined) child.stdin?.end(manifest);
  return promise;
}

async function apply(manifest: string): Promise<string> {
  return kubectl(['apply', '-f', '-'], manifest);
}

/** Its five minutes are over. */
async function endCanary(): Promise<void> {
  await foo.patch({ spec: { strategy: { canary: { duration: '1s' } } } });
}

/** The cells of its line, without the age. */
async function shown(kind: string, name: string): Promise<readonly string[]> {
  const [head = '', ...lines] = (await kubectl(['get', kind])).split('\n');
  const line = lines.find((each) => each.startsWith(`${name} `)) ?? '';
  const starts = [...head.matchAll(/\S+(?: \S+)*/g)].map(({ index }) => index);
  return starts.slice(1, -1).map((start, at) => line.slice(start, starts[at + 2]).trim());
}

/** `examples/foo-eds_v1.yaml` of the old operator, with shorter intervals. */
const manifest = (image: string, affinity = ''): string => `
apiVersion: datadoghq.com/v1alpha1
kind: ExtendedDaemonSet
metadata:
  name: foo
spec:
  strategy:
    reconcileFrequency: 1s
    canary:
      replicas: 1
      duration: 5m
      noRestartsDuration: 0s
    rollingUpdate:
      slowStartIntervalDuration: 1s
  template:
    spec:${affinity}
      containers:
        - name: daemon
          image: ${image}
          resources: { requests: { cpu: 100m } }
        - name: myapp
          image: registry.k8s.io/pause:3.0
`;

const excluding = `
      affinity:
        nodeAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            nodeSelectorTerms:
              - matchExpressions:
                  - key: extendeddaemonset.datadoghq.com/exclude
                    operator: NotIn
                    values:
                      - foo`;

const [v1, v2, v3] = ['registry.k8s.io/pause:3.0', 'registry.k8s.io/pause:3.1', 'registry.k8s.io/pause:3.2'];

describe('the demo application', () => {
  it('is deployed, and shown as in the text', async () => {
    expect(await apply(manifest(v1))).toBe('extendeddaemonset.datadoghq.com/foo created\n');
    await foo.untilAll(v1, nodeCount);
    const active = (await foo.get()).status?.activeReplicaSet ?? '';
    expect(active).toMatch(/^foo-\w+$/);
    const counts = ['3', '3', '3', '3', '3', '0'];
    await eventually(async () => {
      expect((await shown('eds', 'foo')).slice(0, 10)).toEqual([...counts, 'Running', '', active, '']);
      expect(await shown('ers', active)).toEqual(expect.arrayContaining(['active', '3']));
    });
  });

  it('runs a canary of one pod when its image changes, and goes to all nodes when the duration is over', async () => {
    const before = (await foo.get()).status?.activeReplicaSet ?? '';
    expect(await apply(manifest(v2))).toBe('extendeddaemonset.datadoghq.com/foo configured\n');
    const { canary } = await foo.untilState('Canary', { canary: { nodes: [expect.anything()] }, desired: 3 });
    const tried = canary?.replicaSet ?? '';
    await eventually(async () => {
      expect(await foo.images()).toEqual({ [v1]: 2, [v2]: 1 });
      expect((await shown('ers', before)).slice(0, 2)).toEqual(['active', '2']);
      expect((await shown('ers', tried)).slice(0, 2)).toEqual(['canary', '1']);
    });
    expect(await shown('eds', 'foo')).toEqual(expect.arrayContaining(['Canary', before, tried]));
    const first = (await foo.pods()).find(({ spec }) => spec?.containers[0]?.image === v2)?.metadata.uid;
    await endCanary();
    await foo.untilAll(v2, nodeCount);
    expect((await foo.get()).status?.activeReplicaSet).toBe(tried);
    // "foo-xdj4b-zvss2 10m": that of the canary is not made again.
    expect((await foo.pods()).map(({ metadata }) => metadata.uid)).toContain(first);
    await eventually(async () => expect(await foo.replicaSets()).toHaveLength(1));
  });

  it('makes no replica set for another spelling, and finds that of an earlier template again', async () => {
    const uids = (await foo.pods()).map(({ metadata }) => metadata.uid).sort();
    await apply(manifest(v2).replace('cpu: 100m', 'cpu: "0.1"'));
    await foo.untilCondition('Ready', { status: 'True' });
    expect((await foo.pods()).map(({ metadata }) => metadata.uid).sort()).toEqual(uids);
    const [own] = await foo.replicaSets();
    await apply(manifest(v3));
    await foo.untilState('Canary', { canary: { nodes: [expect.anything()] } });
    await apply(manifest(v2));
    await foo.untilAll(v2, nodeCount);
    expect((await foo.get()).status?.activeReplicaSet).toBe(own?.metadata.name);
  });
});

describe('resources of some nodes', () => {
  async function asked(container: number): Promise<Readonly<Record<string, object>>> {
    const found = (await foo.pods()).map(({ spec }) => [
      spec?.nodeName ?? '',
      spec?.containers[container]?.resources?.requests ?? {},
    ]);
    return Object.fromEntries(found) as Record<string, object>;
  }

  it('are those of the annotation of one node, and only there', async () => {
    const value = '{"requests":{"cpu":"2.0","memory":"2G"}}';
    const key = 'resources.extendeddaemonset.datadoghq.com/bar.foo.myapp';
    expect(await kubectl(['annotate', 'node', 'a-node-1', `${key}=${value}`])).toContain('annotated');
    await eventually(async () => {
      expect(await asked(1)).toEqual({
        'a-node-1': { cpu: '2', memory: '2G' },
        'a-node-2': {},
        'a-node-3': {},
      });
    });
  });

  it('are those of an ExtendedDaemonsetSetting on the nodes that it selects', async () => {
    expect(await apply(settingOfManual)).toContain('foo-xxl-node created');
    await kubectl(['label', 'node', 'a-node-2', 'node-type=xxl']);
    const plain = { cpu: '100m' };
    await eventually(async () => {
      expect(await asked(0)).toEqual({
        'a-node-1': plain,
        'a-node-2': { cpu: '500m', memory: '300m' },
        'a-node-3': plain,
      });
    });
    await eventually(async () => {
      expect((await shown('extendeddaemonsetsettings', 'foo-xxl-node'))[0]).toBe('valid');
    });
  });

  it('that the API server would refuse cost no pod, and are named in the setting and in an event', async () => {
    const uids = (await foo.pods()).map(({ metadata }) => metadata.uid).sort();
    const refused = { requests: { cpu: '2' }, limits: { cpu: '1' } };
    const body = { spec: { containers: [{ name: 'daemon', resources: refused }] } };
    const key = { namespace, name: 'foo-xxl-node' };
    await client.patch(extendedDaemonsetSettings, key, { type: 'merge', body });
    await eventually(async () => {
      const { status } = await client.get(extendedDaemonsetSettings, key);
      expect(status).toMatchObject({ status: 'error', error: expect.stringContaining('requests.cpu is 2') });
      const found = await eventsAbout(client, 'foo', namespace);
      const note = found.find(({ reason }) => reason === 'InvalidOverride')?.note;
      expect(note).toContain('node a-node-2');
    });
    expect((await foo.pods()).map(({ metadata }) => metadata.uid).sort()).toEqual(uids);
    await client.delete(extendedDaemonsetSettings, key);
    await eventually(async () => expect((await asked(0))['a-node-2']).toEqual({ cpu: '100m' }));
  });
});

it('a label on a node removes its pod where the affinity says so, and no other', async () => {
  await apply(manifest(v2, excluding));
  await endCanary();
  await foo.untilCondition('Ready', { status: 'True', reason: 'RolloutComplete' });
  const others = await uidsBeside('a-node-3');
  await kubectl(['label', 'nodes', 'a-node-3', 'extendeddaemonset.datadoghq.com/exclude=foo']);
  await foo.untilAll(v2, nodeCount - 1);
  expect(await uidsBeside('')).toEqual(others);
  await client.patch(
    nodes,
    { name: 'a-node-3' },
    {
      type: 'merge',
      body: { metadata: { labels: { 'extendeddaemonset.datadoghq.com/exclude': null } } },
    },
  );
  await foo.untilAll(v2, nodeCount);

  async function uidsBeside(node: string): Promise<readonly string[]> {
    const found = (await foo.pods()).filter(({ spec }) => spec?.nodeName !== node);
    return found.map(({ metadata }) => metadata.uid).sort();
  }
});

describe('the settings of a canary', () => {
  const canary = (settings: string): string =>
    manifest(v2, excluding).replace(
      /canary:[^]*?rollingUpdate/,
      `canary:\n      ${settings}\n    rollingUpdate`,
    );

  it('are taken as the text has them', async () => {
    expect(
      await apply(canary('{ replicas: 1, duration: 5m, autoPause: { enabled: true, maxRestarts: 5 } }')),
    ).toBe('extendeddaemonset.datadoghq.com/foo configured\n');
  });

  it('in manual mode refuse a duration, and need none', async () => {
    expect(await apply(canary('{ validationMode: manual, duration: 7m }'))).toContain(
      'duration and noRestartsDuration must be left out where validationMode is manual',
    );
    expect(await apply(canary('{ validationMode: manual }'))).toContain('configured');
    await foo.untilCondition('Ready', { status: 'True' });
  });
});

it('the example of our guide is taken: its first pod is made, and its setting is valid', async () => {
  const file = new URL('../../../../examples/extended-daemon-set.yaml', import.meta.url).pathname;
  const { promise, resolve } = Promise.withResolvers<string>();
  const args = ['apply', '-f', file, '--kubeconfig', world.controlPlane.kubeconfig];
  execFile(binary, args, (_, out, err) => resolve(out + err));
  expect(await promise).toContain('extendeddaemonset.datadoghq.com/agent created');
  const agent = observedObject(client, 'agent');
  await eventually(async () => expect(await agent.images()).not.toEqual({}));
  const key = { namespace: 'default', name: 'agent-on-large-nodes' };
  await eventually(async () => {
    expect((await client.get(extendedDaemonsetSettings, key)).status).toMatchObject({
      observedGeneration: 1,
      status: 'valid',
      conditions: expect.arrayContaining([expect.objectContaining({ type: 'Ready', status: 'True' })]),
    });
  });
});
