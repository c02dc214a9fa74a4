import { setTimeout as delay } from 'node:timers/promises';
import { inParallel, type StreamingClient } from '@atoll/kube';
import { requestsAtOnce } from '../fleet/nodes.ts';

/** What a cluster holds: path of each object to what shows that it is another or was changed. */
export type ClusterContents = ReadonlyMap<string, string>;

interface Discovery {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly { readonly version: string; readonly resources: readonly Listable[] }[];
  }[];
}

interface Listable {
  readonly resource: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly verbs: readonly string[];
}

interface Listed extends Listable {
  /** Of its version. */
  readonly path: string;
}

interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly generation?: number;
  readonly resourceVersion: string;
  readonly finalizers?: readonly string[];
}

interface Found {
  readonly path: string;
  readonly resource: string;
  readonly metadata: Metadata;
  /** What it was listed in, or the part of that which is in its namespace. */
  readonly collection: string;
  /** Whether one request may delete all of {@link collection}. */
  readonly isDeletedTogether: boolean;
}

/** Controllers make these in every namespace again as soon as they are deleted. */
const everywhere = ['serviceaccounts/default', 'configmaps/kube-root-ca.crt'];
/** The same events are in the core group too. */
const sameElsewhere = ['events.k8s.io'];

/** Everything that can be listed and deleted. */
export async function contentsOf(client: StreamingClient): Promise<ClusterContents> {
  const found = await findAll(client, await listables(client));
  return new Map(found.map((each) => [each.path, identityOf(each)]));
}

/**
 * Deletes what was not there before, whatever finalizers it has, until nothing of its kinds comes again. Yields false where that
 * does not help: something is missing or changed, a definition was added, or controllers make things again and again.
 */
export async function restoreContents(
  client: StreamingClient,
  before: ClusterContents,
  deadlineMs = 60_000,
): Promise<boolean> {
  const end = Date.now() + deadlineMs;
  const all = await listables(client);
  let listed = all;
  while (Date.now() < end) {
    const now = await findAll(client, listed);
    const kept = now.filter(({ path }) => before.has(path));
    if (listed === all && kept.length < before.size) return false;
    if (kept.some((found) => before.get(found.path) !== identityOf(found))) return false;
    const added = now.filter(({ path }) => !before.has(path));
    if (added.some(({ resource }) => resource === 'customresourcedefinitions')) return false;
    if (added.length === 0) return true;
    const whole = collectionsOf(added, kept);
    await inParallel([...whole], requestsAtOnce, async (collection) => removeCollection(client, collection));
    const single = added.filter((found) => !whole.has(found.collection) || isFinalized(found));
    await inParallel(single, requestsAtOnce, async (found) => remove(client, found));
    // What comes again is of what was there.
    const kinds = new Set(added.map(({ resource }) => resource));
    listed = all.filter(({ resource }) => kinds.has(resource));
    await delay(100);
  }
  return false;
}

/** Leases are renewed all the time; a status that its controller writes is no change. */
function identityOf({ resource, metadata }: Found): string {
  const { uid, generation, resourceVersion } = metadata;
  return resource === 'leases' ? '' : `${uid} ${generation ?? (isQuiet(resource) ? resourceVersion : '')}`;
}

/** Of what has no generation, these change only when somebody changes them. */
function isQuiet(resource: string): boolean {
  return /^(clusterroles|clusterrolebindings|roles|rolebindings|secrets|namespaces|serviceaccounts)$/.test(
    resource,
  );
}

async function findAll(client: StreamingClient, listed: readonly Listed[]): Promise<readonly Found[]> {
  const found: Found[] = [];
  await inParallel(listed, requestsAtOnce, async ({ path, resource, scope, verbs }) => {
    const accept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
    const { body } = await client.raw({ path: `${path}/${resource}`, accept });
    const { items } = JSON.parse(body.toString()) as {
      readonly items: readonly { readonly metadata: Metadata }[] | null;
    };
    for (const { metadata } of items ?? []) {
      if (everywhere.includes(`${resource}/${metadata.name}`)) continue;
      const within = scope === 'Cluster' ? '' : `/namespaces/${metadata.namespace ?? ''}`;
      const collection = `${path}${within}/${resource}`;
      const isDeletedTogether =
        verbs.includes('deletecollection') && !everywhere.some((name) => name.startsWith(`${resource}/`));
      found.push({
        path: `${collection}/${metadata.name}`,
        resource,
        metadata,
        collection,
        isDeletedTogether,
      });
    }
  });
  return found;
}

async function listables(client: StreamingClient): Promise<readonly Listed[]> {
  const accept = 'application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io';
  const answers = await Promise.all(['/api', '/apis'].map(async (path) => client.raw({ path, accept })));
  const groups = answers.flatMap(({ body }) => (JSON.parse(body.toString()) as Discovery).items);
  const found = new Map<string, Listed>();
  for (const { metadata, versions } of groups) {
    const { name: group = '' } = metadata;
    if (sameElsewhere.includes(group)) continue;
    // A kind may be served in an old version only, beside newer ones of its group.
    for (const { version, resources } of versions) {
      const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
      for (const each of resources) {
        const key = `${group}/${each.resource}`;
        const isListed = ['list', 'delete'].every((verb) => each.verbs.includes(verb));
        if (isListed && !found.has(key)) found.set(key, { ...each, path });
      }
    }
  }
  return [...found.values()];
}

/** Collections that hold nothing but what was added, and more than one of that: most of what is left behind are events. */
function collectionsOf(added: readonly Found[], kept: readonly Found[]): ReadonlySet<string> {
  const sizes = new Map<string, number>();
  for (const { collection, isDeletedTogether } of added)
    if (isDeletedTogether) sizes.set(collection, (sizes.get(collection) ?? 0) + 1);
  for (const { collection } of kept) sizes.delete(collection);
  return new Set([...sizes].filter(([, size]) => size > 1).map(([collection]) => collection));
}

const atOnce = JSON.stringify({ gracePeriodSeconds: 0, propagationPolicy: 'Background' });

async function removeCollection(client: StreamingClient, path: string): Promise<void> {
  await Promise.allSettled([client.raw({ method: 'DELETE', path, body: atOnce })]);
}

function isFinalized({ metadata, resource }: Found): boolean {
  return metadata.finalizers !== undefined && resource !== 'namespaces';
}

/** What is refused or gone meanwhile shows in the next round. */
async function remove(client: StreamingClient, found: Found): Promise<void> {
  const { path } = found;
  const requests = [client.raw({ method: 'DELETE', path, body: atOnce })];
  if (isFinalized(found)) {
    const finalizers = JSON.stringify({ metadata: { finalizers: null } });
    const contentType = 'application/merge-patch+json';
    requests.push(client.raw({ method: 'PATCH', path, body: finalizers, contentType }));
  }
  await Promise.allSettled(requests);
}
