import { truncateSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { nodePools, unitedDaemonSets, unitedDeployments, yurtAppDaemons } from '@atoll/api';
import {
  createClient,
  events,
  isApiError,
  loadKubeconfig,
  namespaces,
  resourceQuotas,
  type KubeObject,
  type Stored,
  type StreamingClient,
} from '@atoll/kube';
import { install } from '@atoll/operator/install';
import {
  countWrites,
  rssOf,
  runOperator,
  startControlPlane,
  startRecording,
  type ControlPlane,
  type RunningOperator,
} from '@atoll/testbed';
import fc from 'fast-check';
import { daemonNodeLabel, daemonSetSubject, extendedDaemonSetSubject } from '../chaos/subjects/daemons.ts';
import { poolWorkloads } from '../chaos/subjects/pool-workloads.ts';
import { namespace as servedNamespace, type Subject } from '../chaos/subjects/subject.ts';
import { unitedDeploymentSubject } from '../chaos/subjects/united-deployments.ts';
import {
  operatorAccount,
  operatorScript,
  operatorUser,
  withoutElection,
} from '../integration/operator-control-plane.ts';
import { seeded } from '../integration/random.ts';
import {
  changeBack,
  changeEach,
  createValid,
  lostChildren,
  namespaceOf,
  untilAsBefore,
  type ChangedObject,
} from './changed-objects.ts';
import type { FuzzOptions } from './fuzz-options.ts';
import type { JsonObject } from './hostile.ts';
import type { FuzzedKind } from './kinds/fuzzed-kind.ts';
import { fuzzedKinds, poolLabel } from './kinds/fuzzed-kinds.ts';
import { mutated } from './mutated.ts';

/** What one batch of hostile objects, and the normal ones beside them, showed. */
export interface FuzzBatch {
  readonly batch: number;
  readonly taken: number;
  /** By the API server. */
  readonly refused: number;
  /** Served objects that were changed into others, and back. */
  readonly changed: number;
  /** Of these, how many reported that something of their new spec cannot be carried out. */
  readonly faulty: number;
  /** Requests of the operator that were to change something. */
  readonly writes: number;
  readonly answeredMs: number;
  /** Until what was changed of the others beside them was as wanted. */
  readonly servedMs: number;
  /** What the operator holds. */
  readonly megabytes: number;
  /** Empty: every rule held. */
  readonly wrong: readonly string[];
}

const hostileNamespace = 'hostile';
const poolNames = ['east', 'west'];
const zones = ['zone-a', 'zone-b'];

/** Far more than any object needs within a batch, and far fewer than one that is written without end. */
const mostWritesOfObject = 80;

interface FuzzWorld {
  readonly controlPlane: ControlPlane;
  readonly client: StreamingClient;
  readonly operator: RunningOperator;
  /** One normal object of each kind. */
  readonly served: readonly Subject[];
  readonly random: () => number;
}

interface Taken {
  readonly fuzzed: FuzzedKind;
  readonly object: Stored<KubeObject>;
}

/** Batch after batch until all objects were sent, or a batch broke a rule. `onBatch` is given each. */
export async function runFuzz(
  options: FuzzOptions,
  onBatch: (batch: FuzzBatch) => void = () => undefined,
): Promise<readonly FuzzBatch[]> {
  const controlPlane = await startControlPlane({
    fleet: { pools: poolNames, nodes: 4, zones, size: { cpu: '64', memory: '512Gi', pods: '1000' } },
    audit: true,
    prepare: install,
  });
  const client = createClient(await loadKubeconfig({ path: controlPlane.kubeconfig }), { userAgent: 'fuzz' });
  try {
    const world = await startWorld(options, controlPlane, client);
    const batches: FuzzBatch[] = [];
    for (let sent = 0; sent < options.objects; sent += options.atOnce) {
      const batch = await runBatch(
        batches.length + 1,
        Math.min(options.atOnce, options.objects - sent),
        options,
        world,
      );
      batches.push(batch);
      onBatch(batch);
      if (batch.wrong.length > 0) break;
    }
    return batches;
  } finally {
    await client.close();
    await controlPlane.stop();
  }
}

async function startWorld(
  options: FuzzOptions,
  controlPlane: ControlPlane,
  client: StreamingClient,
): Promise<FuzzWorld> {
  await controlPlane.nodesReady(300_000);
  const names = (await controlPlane.nodes()).map(({ name }) => name);
  await controlPlane.labelNodes(names, { [daemonNodeLabel(0)]: 'yes' });
  await client.create(namespaces, { metadata: { name: servedNamespace } });
  for (const name of [hostileNamespace, ...fuzzedKinds.map(namespaceOf)]) {
    await client.create(namespaces, { metadata: { name } });
    await boundPods(client, name, podsOfNamespace(options));
  }
  for (const name of poolNames)
    await client.create(nodePools, {
      metadata: { name, labels: { [poolLabel]: 'yes' } },
      spec: { type: 'Edge' },
    });
  const fleet = { pools: poolNames, zones, nodesOfDaemons: names.length };
  const served = [
    poolWorkloads(unitedDaemonSets, 1, fleet),
    poolWorkloads(yurtAppDaemons, 1, fleet),
    unitedDeploymentSubject(1, fleet),
    daemonSetSubject(1),
    extendedDaemonSetSubject(1),
    poolSubject(),
  ];
  for (const subject of served) await subject.create(client);
  const operator = await runOperator(controlPlane, {
    script: operatorScript,
    account: operatorAccount,
    args: [...withoutElection, '--controllers=*,daemon-set-upgrade,extended-daemon-set'],
  });
  const open = await untilServed(client, served, options.answerMs * 3);
  if (open.length > 0) throw new Error(`What is normal does not come up: ${open.join('; ')}`);
  return { controlPlane, client, operator, served, random: seeded(options.seed) };
}

/** Room for what is changed, which has four pods on four nodes and one more for each while it is rolled out. */
function podsOfNamespace({ changed }: FuzzOptions): number {
  return Math.max(60, changed * 8);
}

/** So that neither a number of replicas nor a priority takes the nodes from the others: that is Kubernetes' own affair. */
async function boundPods(client: StreamingClient, namespace: string, most: number): Promise<void> {
  const metadata = (name: string) => ({ namespace, name });
  await client.create(resourceQuotas, { metadata: metadata('pods'), spec: { hard: { pods: String(most) } } });
  await client.create(resourceQuotas, {
    metadata: metadata('priority'),
    spec: {
      hard: { pods: '0' },
      scopeSelector: {
        matchExpressions: [
          {
            scopeName: 'PriorityClass',
            operator: 'In',
            values: ['system-cluster-critical', 'system-node-critical'],
          },
        ],
      },
    },
  });
}

/** A label of the pools' nodes that changes. */
function poolSubject(): Subject {
  let wanted: string | undefined;
  return {
    kind: 'NodePool',
    create: async () => Promise.resolve(),
    async change(client, random) {
      const version = `v${Math.floor(random() * 1_000_000)}`;
      const body = { spec: { labels: { 'example.com/version': version } } };
      await client.patch(nodePools, { name: 'east' }, { type: 'merge', body });
      wanted = version;
      return `pool east to ${version}`;
    },
    async unsettled(client) {
      const { metadata, status } = await client.get(nodePools, { name: 'east' });
      const ready = status?.conditions?.find(({ type }) => type === 'Ready');
      if (status?.observedGeneration !== metadata.generation) return ['pool east: its spec was not observed'];
      return ready?.status === 'True' ? [] : [`pool east with ${wanted}: ${ready?.reason} ${ready?.message}`];
    },
  };
}

async function runBatch(
  batch: number,
  count: number,
  options: FuzzOptions,
  world: FuzzWorld,
): Promise<FuzzBatch> {
  const { controlPlane, client, operator, served, random } = world;
  const { kubeconfig, auditLog = '' } = controlPlane;
  const { pid } = operator;
  truncateSync(auditLog, 0);
  await using recording = await startRecording({ kubeconfig, auditLog, resources: [] });
  const wrong: string[] = [];
  const seed = options.seed + batch * 1000;
  const changing = Math.min(options.changed, count);
  const sending = count - changing;
  const valid = await Promise.all(
    fuzzedKinds.map(async (fuzzed) =>
      createValid(client, fuzzed, `c-${batch}`, changing, options.answerMs * 3),
    ),
  );
  const [sent, changed] = await Promise.all([
    Promise.all(
      fuzzedKinds.map(async (fuzzed, index) =>
        sendObjects(client, fuzzed, `f-${batch}`, sending, seed + index),
      ),
    ),
    Promise.all(valid.map(async (objects, index) => changeEach(client, objects, seed + 500 + index))),
  ]);
  const changes = changed.flat();
  const taken = sent.flat();
  // A failure of the preparation, where nothing but refusals would be proved.
  const none = fuzzedKinds.filter((_, index) => sending >= 20 && sent[index]?.length === 0);
  wrong.push(...none.map(({ resource }) => `not one ${resource.kind} was taken`));
  const since = Date.now();
  wrong.push(...(await untilAnswered(client, [...taken, ...changes], options.answerMs)));
  const answeredMs = Date.now() - since;
  const { back, refused } = await changeBack(client, changes);
  wrong.push(...refused);
  wrong.push(...(await untilAnswered(client, back, options.answerMs)));
  wrong.push(...(await untilAsBefore(client, back, options.answerMs)));
  const changedAt = Date.now();
  for (const subject of served) await subject.change(client, random);
  const open = await untilServed(client, served, options.answerMs);
  wrong.push(...open.map((each) => `not served beside hostile objects: ${each}`));
  const servedMs = Date.now() - changedAt;
  wrong.push(...(await failedReconciles(client)));
  for (const { fuzzed, object } of [...taken, ...back]) await remove(client, fuzzed, object);
  const history = await recording.history();
  wrong.push(...lostChildren(back, history));
  const writes = countWrites(history, {
    user: operatorUser,
    except: ['leases.coordination.k8s.io', 'events.events.k8s.io'],
  });
  for (const [object, times] of writes.byObject)
    // A creation that was refused has no name: those are of many objects.
    if (object.includes('/') && times > mostWritesOfObject)
      wrong.push(`${times} writes to ${object}, at most ${mostWritesOfObject} may be`);
  if (operator.pid === undefined || operator.pid !== pid)
    wrong.push(`the operator ended: ${operator.lastWords().slice(-1_500)}`);
  return {
    batch,
    taken: taken.length,
    refused: fuzzedKinds.length * sending - taken.length,
    changed: back.filter((each) => each.changed !== undefined).length,
    faulty: back.filter(({ heldFor, isFaulty }) => heldFor !== undefined || isFaulty).length,
    writes: writes.total,
    answeredMs,
    servedMs,
    megabytes: megabytesOf(operator.pid),
    wrong,
  };
}

async function sendObjects(
  client: StreamingClient,
  fuzzed: FuzzedKind,
  prefix: string,
  count: number,
  seed: number,
): Promise<readonly Taken[]> {
  const { resource, schema, valid } = fuzzed;
  const taken: Taken[] = [];
  for (let index = 0; index < count; index += 1) {
    const name = `${prefix}-${resource.kind.toLowerCase()}-${index}`;
    const [drawn = {}] = fc.sample(mutated(valid(name), schema), { numRuns: 1, seed: seed * 1000 + index });
    const object = assembled(fuzzed, name, drawn);
    try {
      taken.push({ fuzzed, object: await client.create(resource, object) });
    } catch (error) {
      // Refused in whatever words; a server that is gone refuses nothing.
      if (!isApiError(error) || error.code < 400 || error.code >= 500) throw error;
    }
  }
  return taken;
}

function assembled({ resource }: FuzzedKind, name: string, drawn: JsonObject): KubeObject {
  const { labels, annotations, ...rest } = drawn;
  const namespace = resource.namespaced ? { namespace: hostileNamespace } : {};
  return { ...rest, metadata: { ...namespace, name, labels, annotations } } as unknown as KubeObject;
}

async function untilAnswered(
  client: StreamingClient,
  taken: readonly (Taken | ChangedObject)[],
  ms: number,
): Promise<readonly string[]> {
  const end = Date.now() + ms;
  let open = taken;
  for (;;) {
    const owed: { readonly each: Taken | ChangedObject; readonly what: string }[] = [];
    for (const each of open) {
      const { resource, unanswered } = each.fuzzed;
      const what = unanswered(await client.get(resource, each.object.metadata));
      if (what !== undefined) owed.push({ each, what });
    }
    open = owed.map(({ each }) => each);
    if (open.length === 0) return [];
    if (Date.now() > end)
      return owed.map(({ each, what }) => {
        const { fuzzed, object } = each;
        const text = JSON.stringify(sentOf(each)).slice(0, 1_500);
        return `${fuzzed.resource.kind} ${object.metadata.name} ${what}: ${text}`;
      });
    await delay(200);
  }
}

function sentOf(each: Taken | ChangedObject): unknown {
  return 'changed' in each ? each.changed : each.object;
}

async function untilServed(
  client: StreamingClient,
  served: readonly Subject[],
  ms: number,
): Promise<readonly string[]> {
  const end = Date.now() + ms;
  for (;;) {
    const open: string[] = [];
    for (const subject of served) open.push(...(await subject.unsettled(client)));
    if (open.length === 0 || Date.now() > end) return open;
    await delay(200);
  }
}

/** An error of ours, however it was survived. */
async function failedReconciles(client: StreamingClient): Promise<readonly string[]> {
  const { items } = await client.list(events);
  return items
    .filter(({ reason }) => reason === 'ReconcileFailed')
    .map(({ regarding, note }) => `${regarding?.kind} ${regarding?.name}: ${note}`);
}

async function remove(
  client: StreamingClient,
  { resource }: FuzzedKind,
  { metadata }: Stored<KubeObject>,
): Promise<void> {
  try {
    await client.delete(resource, metadata, { uid: metadata.uid, propagationPolicy: 'Background' });
  } catch (error) {
    if (isApiError(error, 'NotFound')) return;
    // Protected by its label: what protects it goes first.
    if (!isApiError(error)) throw error;
    const body = {
      metadata: { labels: null },
      ...(resource === unitedDeployments ? { spec: { replicas: 0 } } : {}),
    };
    await client.patch(resource, metadata, { type: 'merge', body });
    await client.delete(resource, metadata, { uid: metadata.uid, propagationPolicy: 'Background' });
  }
}

function megabytesOf(pid: number | undefined): number {
  if (pid === undefined) return 0;
  return Math.round(rssOf(pid) / 1024 / 1024);
}
