// From an old operator to Atoll, back as the guide says, and to Atoll again: what runs, and what stays behind.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, delimiter } from 'node:path';
import { promisify } from 'node:util';
import {
  conditionTypes,
  labels,
  nodePools,
  unitedDaemonSets,
  unitedDeployments,
  yurtAppDaemons,
  type PoolWorkload,
} from '@atoll/api';
import {
  canonicalJson,
  controllerRevisions,
  deployments,
  nodes,
  type KubeObject,
  type Resource,
  type Stored,
  type StreamingClient,
  type Toleration,
} from '@atoll/kube';
import { obtainBinaries } from '@atoll/testbed';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { overallTypes } from '../../src/engine/status/conditions.ts';
import { oldChild, oldRevision } from '../../src/pool-workload/take-over/old-operator.fixture.ts';
import { guideCommands } from '../set-up/documented-commands.ts';
import { apply, setImage } from '../set-up/objects.ts';
import { bj, childrenOf, hz, leave, namespace, owners, running, steady, workload } from './old-workloads.ts';
import { withoutElection, type OperatorControlPlane } from '../set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../set-up/shared-operator-control-plane.ts';
import { conditionsOf, eventually } from '../set-up/standing.ts';
import { inZone, united } from '../united-deployment/objects.ts';

let world: OperatorControlPlane;
let client: StreamingClient;
let kubectl: string;
const oldManager = 'yurt-manager';

/** `plain` has no placement of its own, so that the old operator finds its children as it wants them but for their revision. */
const names = ['untouched', 'rolled', 'edited', 'plain', 'new'];

const ofAtoll = [...overallTypes, conditionTypes.subsetReplicasEffective];
const others = [
  [unitedDaemonSets, 'daemon'],
  [unitedDeployments as Resource<KubeObject> as Resource<PoolWorkload>, 'spread'],
] as const;

beforeAll(async () => {
  world = await sharedOperatorControlPlane({ fleet: { pools: ['hz', 'bj'], nodesPerPool: 2 } });
  ({ client } = world);
  kubectl = (await obtainBinaries()).kubectl;
  await world.controlPlane.labelNodes(['hz-node-1', 'hz-node-2', 'bj-node-1', 'bj-node-2'], { disk: 'ssd' });
  for (const pool of [hz, bj]) await apply(client, nodePools, pool);
  for (const name of ['untouched', 'rolled', 'edited', 'plain']) {
    await leave(client, name, {}, oldManager, name === 'plain' ? withoutPlacement(name) : {});
  }
  const atoll = await world.start({ args: withoutElection });
  await client.create(yurtAppDaemons, workload('new', withoutPlacement('new')));
  await client.create(unitedDaemonSets, workload('daemon', withoutPlacement('daemon')));
  await client.create(
    unitedDeployments,
    united({ name: 'spread', replicas: 2, subsets: [inZone('a', 'nowhere')] }),
  );
  for (const name of names) await isReady(name);
  for (const [kind, name] of others) await isJudged(kind, name);
  for (const name of ['rolled', 'plain']) await setImage(client, yurtAppDaemons, name, 'nginx:1.28');
  for (const name of names) await isReady(name);
  await atoll.kill('SIGTERM');
  // One that joined under Atoll, one that was moved, one that left; the last two had asked for it before.
  await world.controlPlane.labelNodes(['hz-node-2'], { [labels.desiredNodePool]: 'bj' });
  await world.controlPlane.labelNodes(['bj-node-2'], {
    [labels.nodePool]: null,
    [labels.desiredNodePool]: 'bj',
  });
}, 400_000);

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

describe('the way back', () => {
  it('runs as in the guide, and makes both labels name the pool of a node', async () => {
    const commands = guideCommands('docs/users/migration-openyurt.md', '## How to go back');
    expect(commands).toHaveLength(3);
    for (const command of commands) await shell(command);
    const { items } = await client.list(nodes);
    const labelled = items.map(({ metadata: { name, labels: { ...on } = {} } }) => [
      name,
      on[labels.nodePool],
      on[labels.desiredNodePool],
    ]);
    expect(Object.fromEntries(labelled.map(([name, ...pools]) => [name, pools]))).toMatchObject({
      'hz-node-1': ['hz', 'hz'],
      'hz-node-2': ['hz', 'hz'],
      'bj-node-1': ['bj', 'bj'],
      'bj-node-2': [undefined, undefined],
    });
    await world.controlPlane.labelNodes(['bj-node-2'], { [labels.nodePool]: 'bj' });
  });

  it('leaves no condition of Atoll behind that would answer, and those of the old operator', async () => {
    for (const name of names) {
      const { status } = await client.get(yurtAppDaemons, { namespace, name });
      const types = (status?.conditions ?? []).map(({ type = '' }) => type);
      expect(types.toSorted()).toEqual(['WorkLoadFailure', 'WorkLoadProvisioned', 'WorkLoadUpdated']);
    }
    for (const [kind, name] of others) {
      const { status } = await client.get(kind, { namespace, name });
      const types = (status?.conditions ?? []).map(({ type = '' }) => type);
      expect(types.filter((type) => ofAtoll.includes(type))).toEqual([]);
      expect(types).not.toEqual([]);
    }
    const { status } = await client.get(nodePools, { name: 'hz' });
    expect(status).not.toHaveProperty('observedGeneration');
    expect(status?.conditions ?? []).toEqual([]);
    const wait = shell('kubectl wait --for=condition=Ready nodepool/hz --timeout=1s');
    await expect(wait).rejects.toThrow(/timed out/);
  });

  it('has every condition of Atoll', () => {
    const template = readFileSync(join(root, 'deploy/optional/conditions-of-atoll.gotmpl'), 'utf8');
    for (const type of ofAtoll) expect(template).toContain(`(eq $type "${type}")`);
  });

  it('prints nothing when it is run again', async () => {
    const [, conditions = ''] = guideCommands('docs/users/migration-openyurt.md', '## How to go back');
    expect(await shell(conditions.replace('| sh -e', ''))).toBe('');
    const [ofKruise = ''] = guideCommands('docs/users/migration-kruise.md', '## Back again');
    expect(await shell(ofKruise.replace('| sh -e', ''))).toBe('');
  });
});

describe('when Atoll starts again', () => {
  const before = new Map<string, unknown>();

  beforeAll(async () => {
    await setImage(client, yurtAppDaemons, 'edited', 'nginx:1.29');
    for (const name of names) {
      await reconcileAsOldOperator(name);
      await steady(client, name);
      before.set(name, await running(client, name));
    }
    await world.start({ name: 'again', args: withoutElection });
  });

  it.each(names)('%s: no pod is touched, and all is Ready', async (name) => {
    await isReady(name);
    await eventually(async () => {
      for (const child of await childrenOf(client, name)) expect(owners(child)).toEqual(['atoll Apply']);
    });
    expect(await running(client, name)).toEqual(before.get(name));
  });

  it('the next change of a template goes to all pools', async () => {
    for (const name of names) await setImage(client, yurtAppDaemons, name, 'nginx:1.30');
    for (const name of names) await isReady(name);
    for (const name of names) {
      const children = await childrenOf(client, name);
      const images = children.map(({ spec }) => spec?.template.spec?.containers[0]?.image);
      expect(images).toEqual(['nginx:1.30', 'nginx:1.30']);
    }
  });
});

/**
 * One reconcile of the controller of yurt-manager 1.3 (`reference/openyurt.md` 3.1.2): a child is written as a whole where its
 * revision, its node selector or its tolerations are not those of the template and the pool.
 */
async function reconcileAsOldOperator(name: string): Promise<void> {
  const owner = await client.get(yurtAppDaemons, { namespace, name });
  const revision = await revisionAsOldOperator(owner);
  for (const live of await childrenOf(client, name)) {
    const pool = live.metadata.name.startsWith(`${name}-hz-`) ? hz : bj;
    const { nodeSelector, tolerations = [] } = live.spec?.template.spec ?? {};
    const isAsWanted =
      canonicalJson(nodeSelector) === canonicalJson({ [labels.nodePool]: pool.metadata.name }) &&
      (pool.spec?.taints ?? []).every(({ key }) =>
        tolerations.some((each: Toleration) => each.key === key),
      ) &&
      live.metadata.labels?.[labels.controllerRevisionHash] === revision;
    if (isAsWanted) continue;
    const { metadata, spec } = oldChild({ owner, pool, suffix: '', revision });
    const merged = {
      ...live.metadata,
      labels: { ...live.metadata.labels, ...metadata.labels },
      annotations: { ...live.metadata.annotations, ...metadata.annotations },
    };
    const body = { ...live, metadata: merged, ...(spec === undefined ? {} : { spec }) };
    await client.update(deployments, body, { fieldManager: oldManager });
  }
}

/** The newest revision where its data are the template's to the byte, which those that Atoll wrote never are; else another one. */
async function revisionAsOldOperator(owner: Stored<PoolWorkload>): Promise<string> {
  const { items } = await client.list(controllerRevisions, { namespace });
  const own = items.filter(({ metadata }) =>
    metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid),
  );
  const newest = own.toSorted((a, b) => (a.revision ?? 0) - (b.revision ?? 0)).at(-1);
  const wanted = oldRevision(owner, `${owner.metadata.name}-7c9b5d`, (newest?.revision ?? 0) + 1);
  if (newest !== undefined && canonicalJson(newest.data) === canonicalJson(wanted.data)) {
    return newest.metadata.name;
  }
  await client.create(controllerRevisions, wanted, { fieldManager: oldManager });
  return wanted.metadata.name;
}

function withoutPlacement(name: string): object {
  const containers = [{ name: 'web', image: 'nginx:1.27' }];
  return { template: { metadata: { labels: { app: name } }, spec: { containers } } };
}

async function isJudged(kind: Resource<PoolWorkload>, name: string): Promise<void> {
  await eventually(async () => {
    expect(await conditionsOf(client, kind, name, namespace)).toHaveProperty('Ready');
  });
}

async function isReady(name: string): Promise<void> {
  await eventually(async () => {
    expect(await conditionsOf(client, yurtAppDaemons, name, namespace)).toMatchObject({
      Ready: { status: 'True', reason: 'RolloutComplete' },
    });
  });
}

const root = join(import.meta.dirname, '..', '..', '..', '..');

async function shell(command: string): Promise<string> {
  const path = [dirname(kubectl), process.env['PATH']].join(delimiter);
  const env = { ...process.env, PATH: path, KUBECONFIG: world.controlPlane.kubeconfig };
  const { stdout } = await promisify(execFile)('sh', ['-e', '-c', command], { cwd: root, env });
  return stdout;
}
