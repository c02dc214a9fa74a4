import { setTimeout as delay } from 'node:timers/promises';
import { conditionTypes, extendedDaemonSetReplicaSets } from '@atoll/api';
import {
  controllerOf,
  deployments,
  isApiError,
  pods,
  type KubeObject,
  type Pod,
  type Resource,
  type Stored,
  type StreamingClient,
} from '@atoll/kube';
import { writesOf, type History } from '@atoll/testbed';
import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { operatorUser } from '../integration/set-up/operator-control-plane.ts';
import { isRefused } from './is-refused.ts';
import { answerOf, type FuzzedKind } from './kinds/fuzzed-kind.ts';
import type { JsonObject } from './hostile.ts';
import { mutated } from './mutated.ts';
import { untilNoneOpen } from '../chaos/until-none-open.ts';

/** An object that was served before it was changed into another one. */
export interface ChangedObject {
  readonly fuzzed: FuzzedKind;
  readonly object: Stored<KubeObject>;
  readonly valid: JsonObject;
  /** What it had when it was at rest. */
  readonly before: readonly Stored<KubeObject>[];
  /** undefined: the API server refused the change. */
  readonly changed: JsonObject | undefined;
  /** When the change was sent, and when it was taken back: milliseconds. */
  readonly since: number;
  readonly until: number;
  /** Why the operator holds the whole object as it is; undefined: it does not. */
  readonly heldFor: string | undefined;
  /** Whether it reports that something of the new spec cannot be carried out. */
  readonly isFaulty: boolean;
}

/** Namespaces of their own, so that the pods of one kind take no room of another's quota. */
export function namespaceOf({ resource }: FuzzedKind): string {
  return `changed-${resource.kind.toLowerCase()}`;
}

/** Reasons for which nothing at all of an object is changed. */
const holdsAll = [
  'InvalidSelector',
  'InvalidTemplate',
  'NoSubsets',
  'KindNotServed',
  'InvalidStrategy',
  'InvalidUpgradeStrategy',
  'NotOnDelete',
];

/** Conditions of an object that cannot be carried out as it is. */
const faults: readonly string[] = [conditionTypes.stalled, conditionTypes.degraded];

/** How many children an object of the kind has at rest: in two pools, in two subsets, or on four nodes. */
const childrenAtRest: Readonly<Record<string, number>> = {
  UnitedDaemonSet: 2,
  YurtAppDaemon: 2,
  UnitedDeployment: 2,
  // A replica set and the pods.
  ExtendedDaemonSet: 5,
  DaemonSet: 4,
};

/** The fields by which it is decided where children are. Where none differs, no Deployment is deleted. */
const placement: Readonly<Record<string, (spec: JsonObject) => unknown>> = {
  UnitedDaemonSet: ofPools,
  YurtAppDaemon: ofPools,
  UnitedDeployment: ({ selector, template, topology }) => [
    selector,
    Object.keys(asObject(template)),
    ((topology as { readonly subsets?: readonly JsonObject[] } | undefined)?.subsets ?? []).map(
      ({ name }) => name,
    ),
  ],
};

function ofPools({ selector, nodepoolSelector, workloadTemplate }: JsonObject): unknown {
  return [selector, nodepoolSelector, Object.keys(asObject(workloadTemplate))];
}

function asObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}

/** Creates valid objects and resolves when all have their children. Rejects where they do not come. */
export async function createValid(
  client: StreamingClient,
  fuzzed: FuzzedKind,
  prefix: string,
  count: number,
  ms: number,
): Promise<readonly ChangedObject[]> {
  const created: ChangedObject[] = [];
  for (let index = 0; index < count; index += 1) {
    const name = `${prefix}-${fuzzed.resource.kind.toLowerCase()}-${index}`;
    const valid = fuzzed.valid(name);
    const { labels, annotations, ...rest } = valid;
    const namespace = fuzzed.resource.namespaced ? { namespace: namespaceOf(fuzzed) } : {};
    const body = { ...rest, metadata: { ...namespace, name, labels, annotations } } as unknown as KubeObject;
    const object = await client.create(fuzzed.resource, body);
    const times = { since: 0, until: 0 };
    created.push({
      fuzzed,
      object,
      valid,
      before: [],
      changed: undefined,
      ...times,
      heldFor: undefined,
      isFaulty: false,
    });
  }
  const end = Date.now() + ms;
  for (;;) {
    const all = await childrenOf(client, fuzzed);
    const atRest = await client.list(fuzzed.resource, within(fuzzed));
    const found = new Map(atRest.items.map((item) => [item.metadata.uid, item]));
    const wanted = childrenAtRest[fuzzed.resource.kind] ?? 0;
    const open = created.filter(({ object }) => {
      const now = found.get(object.metadata.uid);
      const count = all.filter((child) => isOf(child, object) && isPlaced(child)).length;
      return now === undefined || fuzzed.unanswered(now) !== undefined || count < wanted;
    });
    if (open.length === 0)
      return created.map((each) => ({ ...each, before: all.filter((child) => isOf(child, each.object)) }));
    if (Date.now() > end)
      throw new Error(`${open.length} valid objects are not served, first ${open[0]?.object.metadata.name}`);
    await delay(200);
  }
}

/** Changes each into a mutated one. */
export async function changeEach(
  client: StreamingClient,
  objects: readonly ChangedObject[],
  seed: number,
): Promise<readonly ChangedObject[]> {
  const sent: ChangedObject[] = [];
  for (const [index, each] of objects.entries()) {
    const [drawn = {}] = fc.sample(mutated(each.valid, each.fuzzed.schema), {
      numRuns: 1,
      seed: seed * 1000 + index,
    });
    const since = Date.now();
    const refusal = await replace(client, each, drawn);
    sent.push({ ...each, since, changed: refusal === undefined ? drawn : undefined });
  }
  return sent;
}

/** Puts back what was valid; notes first what holds each object. `refused`: a line for each that cannot be put back. */
export async function changeBack(
  client: StreamingClient,
  objects: readonly ChangedObject[],
): Promise<{ readonly back: readonly ChangedObject[]; readonly refused: readonly string[] }> {
  const back: ChangedObject[] = [];
  const refused: string[] = [];
  for (const each of objects) {
    const { conditions = [] } = answerOf(await client.get(each.fuzzed.resource, each.object.metadata));
    const heldFor = conditions.map(({ reason = '' }) => reason).find((reason) => holdsAll.includes(reason));
    const isFaulty = conditions.some(({ type = '', status }) => faults.includes(type) && status === 'True');
    const until = Date.now();
    const refusal = each.changed === undefined ? undefined : await replace(client, each, each.valid);
    if (refusal !== undefined)
      refused.push(
        `${each.object.metadata.name} cannot be put back: ${refusal}, after ${JSON.stringify(each.changed)}`,
      );
    back.push({ ...each, heldFor, isFaulty, until });
  }
  return { back, refused };
}

/** Yields what has not the children again that it had, a line each. */
export async function untilAsBefore(
  client: StreamingClient,
  objects: readonly ChangedObject[],
  ms: number,
): Promise<readonly string[]> {
  const look = async (): Promise<readonly string[]> => {
    const open: string[] = [];
    for (const fuzzed of new Set(objects.map((each) => each.fuzzed))) {
      const all = await childrenOf(client, fuzzed);
      for (const each of objects.filter((one) => one.fuzzed === fuzzed)) {
        const now = all
          .filter((child) => isOf(child, each.object))
          .map(meaningOf)
          .toSorted();
        const before = each.before.map(meaningOf).toSorted();
        if (!isDeepStrictEqual(now, before))
          open.push(
            `${fuzzed.resource.kind} ${each.object.metadata.name} was put back and its children are ` +
              `${now.join()} and not ${before.join()}, after ${JSON.stringify(each.changed)}`,
          );
      }
    }
    return open;
  };
  return untilNoneOpen(look, ms, 300);
}

/** Children that the operator deleted though their object was held, or though nothing that decides where they are differed. */
export function lostChildren(objects: readonly ChangedObject[], history: History): readonly string[] {
  const deletedAt = new Map(
    writesOf(history)
      .filter(({ audit }) => audit.user === operatorUser && audit.code < 300)
      .filter(({ audit }) => audit.verb === 'delete' || audit.subresource === 'eviction')
      .map(({ audit }) => [audit.preconditions.uid ?? audit.uid ?? '', audit.receivedAt] as const),
  );
  return objects.flatMap(({ fuzzed, object, valid, before, changed, since, until, heldFor }) => {
    if (changed === undefined) return [];
    const { kind } = fuzzed.resource;
    const where = placement[kind];
    const isInPlace =
      where !== undefined &&
      isDeepStrictEqual(where(asJson(valid['spec'])), where(asJson(changed['spec']))) &&
      isDeepStrictEqual(valid['labels'], changed['labels']);
    const why = heldFor ?? (isInPlace ? 'nothing that decides where children are differed' : undefined);
    if (why === undefined) return [];
    return before
      .filter(({ metadata }) => {
        const at = deletedAt.get(metadata.uid) ?? 0;
        return at >= since && at < until;
      })
      .map(
        ({ metadata }) =>
          `${kind} ${object.metadata.name} lost ${metadata.name} (${why}): ${JSON.stringify(changed)}`,
      );
  });
}

/** As `kubectl replace`; yields why the API server refuses it, undefined where it does not. */
async function replace(
  client: StreamingClient,
  { fuzzed: { resource }, object }: ChangedObject,
  { labels, annotations, ...rest }: JsonObject,
): Promise<string | undefined> {
  for (;;) {
    const { metadata } = await client.get(resource, object.metadata);
    const body = { ...rest, metadata: { ...metadata, labels, annotations } } as unknown as Stored<KubeObject>;
    try {
      await client.update(resource, body);
      return undefined;
    } catch (error) {
      if (isApiError(error, 'Conflict')) continue;
      if (!isRefused(error)) throw error;
      return error.message;
    }
  }
}

const within = (fuzzed: FuzzedKind): { readonly namespace?: string } =>
  fuzzed.resource.namespaced ? { namespace: namespaceOf(fuzzed) } : {};

/** Everything that may be a child of an object of the kind and is not being deleted; of pods those that DaemonSets have. */
async function childrenOf(
  client: StreamingClient,
  fuzzed: FuzzedKind,
): Promise<readonly Stored<KubeObject>[]> {
  const { kind } = fuzzed.resource;
  if (childrenAtRest[kind] === undefined) return [];
  const kinds = (
    kind === 'DaemonSet'
      ? [pods]
      : kind === 'ExtendedDaemonSet'
        ? [extendedDaemonSetReplicaSets, pods]
        : [deployments]
  ) as readonly Resource<KubeObject>[];
  const lists = await Promise.all(kinds.map(async (each) => client.list(each, within(fuzzed))));
  return lists
    .flatMap(({ items }) => items)
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

/** Owned by it, or by a replica set of it, which has its name before a hash. */
function isOf(child: Stored<KubeObject>, { metadata }: Stored<KubeObject>): boolean {
  const owner = controllerOf(child);
  return (
    owner?.uid === metadata.uid ||
    (owner?.kind === 'ExtendedDaemonSetReplicaSet' && owner.name.startsWith(`${metadata.name}-`))
  );
}

/** A pod that has its node; every other child. */
function isPlaced(child: Stored<KubeObject>): boolean {
  const { containers, nodeName } = (child as Stored<Pod>).spec ?? {};
  return containers === undefined || nodeName !== undefined;
}

/**
 * What is the same of two children that do the same: names of pods and numbers of replicas differ, and so does the name of a replica set whose
 * template comes back while the one before is still being deleted.
 */
export function meaningOf(child: Stored<KubeObject>): string {
  const spec = asJson((child as { readonly spec?: unknown }).spec);
  if (spec['template'] !== undefined) {
    const { replicas: _, ...rest } = spec;
    const isReplicaSet = spec['templateGeneration'] !== undefined;
    return `${isReplicaSet ? 'replica set' : child.metadata.name} ${JSON.stringify(rest)}`;
  }
  const { nodeName, containers } = (child as Stored<Pod>).spec ?? {};
  return `pod on ${nodeName} with ${containers?.map(({ image }) => image).join()}`;
}

function asJson(value: unknown): JsonObject {
  return asObject(value) as JsonObject;
}
