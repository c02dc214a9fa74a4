import { createInformers, type Informers } from '../informer/informers.ts';
import type { KubeObject } from '../objects/object.ts';
import type { Resource } from '../objects/resource.ts';
import { flushTasks } from '../testing/fake-clock.ts';
import { ScriptedServer, type OpenWatch } from '../testing/scripted-server.ts';
import { silentLogger, type Logger } from '../telemetry/logger.ts';
import { refusalOf } from '../testing/refusal-of.ts';
import type { CacheEvent } from './reader.ts';
import { declareCache, declareCacheWhile, declareOptionalCache } from './cache-declaration.ts';
import { CacheSet } from './cache-set.ts';

function kind(plural: string, namespaced = true): Resource<KubeObject> {
  return { group: 'example.dev', version: 'v1', kind: plural, plural, namespaced };
}

const byLetter = { letter: ({ metadata: { name } }: KubeObject) => [name.slice(0, 1)] };
const parents = declareCache({ resource: kind('parents'), indexers: byLetter });
const children = declareCache({ resource: kind('children'), indexers: {} });
const machines = declareCache({ resource: kind('machines', false), indexers: {} });
const guests = declareOptionalCache({ resource: kind('guests'), indexers: {} });
const asked = declareCacheWhile(
  [parents, children],
  (a) => a.list().some((each) => each.metadata.name === 'asks'),
  {
    resource: kind('details'),
    indexers: {},
  },
);
const declarations = { parents, children, machines };

let version = 10;

/** An object as the server stores it, newer than any before. */
export function object(namespace: string | undefined, name: string, more: object = {}): KubeObject {
  version += 1;
  const resourceVersion = String(version);
  const uid = `uid-${namespace}-${name}`;
  const where = namespace === undefined ? {} : { namespace };
  const creationTimestamp = '2026-11-01T10:00:00Z';
  return { metadata: { ...where, name, uid, resourceVersion, creationTimestamp, ...more } } as KubeObject;
}

function initialEnd() {
  version += 1;
  const annotations = { 'k8s.io/initial-events-end': 'true' };
  return { type: 'BOOKMARK', object: { metadata: { resourceVersion: String(version), annotations } } };
}

/** What arrives in one turn is delivered in the next, and what that starts comes a turn later. */
export async function settle(): Promise<void> {
  for (let turns = 0; turns < 8; turns += 1) await flushTasks();
}

/**
 * Caches of parents, children and machines, and of what `more` names of guests, which need not be installed, and of details, which
 * are `asked` for, before a server of which the test sends every answer.
 */
export class ServedCacheSet {
  readonly server = new ScriptedServer();
  readonly informers: Informers;
  readonly set: CacheSet;
  readonly heard: string[] = [];
  /** Errors in the log. */
  readonly errors: string[] = [];
  /** Watches that the server refuses, as {@link watched} names them. */
  readonly refused = new Set<string>();
  synced = false;
  /** What a controller waits for that reads no other cache. */
  parentsSynced = false;
  readonly #stop = new AbortController();

  constructor(namespaces: readonly string[] | undefined, more: readonly string[] = []) {
    const extra = { guests, asked };
    const names = new Set<string>(more);
    const chosen = Object.fromEntries(Object.entries(extra).filter(([name]) => names.has(name)));
    this.server.onWatch = (watch) => {
      if (!this.refused.has(whatOf(watch))) return;
      throw refusalOf(403, 'watch', 'no role');
    };
    const logger: Logger = {
      ...silentLogger,
      error: ({ err }: { readonly err?: unknown }, message) => this.errors.push(`${message}: ${String(err)}`),
      child: () => logger,
    };
    const { server } = this;
    this.informers = createInformers({ client: server, clock: server.clock, random: () => 0.5, logger });
    this.set = new CacheSet(this.informers, { ...declarations, ...chosen }, namespaces);
    for (const name of ['parents', 'children'])
      this.set
        .informerOf(this.set.cacheNamed(name))
        .subscribe((events) => this.heard.push(...events.map(told)));
    void this.informers.start(this.#stop.signal);
    void this.set.synced(['parents']).then(() => (this.parentsSynced = true));
    void this.set.synced(['parents', 'children', ...names]).then(() => (this.synced = true));
  }

  /** `namespace/plural`, or the names that a watch is limited to. */
  get watched(): readonly string[] {
    return this.server.watches
      .filter(({ released }) => !released)
      .map(whatOf)
      .toSorted();
  }

  last(what: string): OpenWatch {
    const found = this.server.watches.findLast((watch) => whatOf(watch) === what);
    if (found === undefined)
      throw new Error(`${what} is not watched; watched are: ${this.watched.join(', ')}`);
    return found;
  }

  async send(what: string, ...objects: readonly KubeObject[]): Promise<void> {
    this.last(what).send(...objects.map((each) => ({ type: 'ADDED', object: each })), initialEnd());
    await settle();
  }

  async event(what: string, type: string, changed: KubeObject): Promise<void> {
    this.last(what).send({ type, object: changed });
    await settle();
  }

  /** The kind of the guests is installed: the server serves its definition. */
  async installGuests(): Promise<void> {
    await this.event('customresourcedefinitions guests.example.dev', 'ADDED', {
      ...object(undefined, 'guests.example.dev'),
      spec: { versions: [{ name: 'v1', served: true }] },
      status: { conditions: [{ type: 'Established', status: 'True' }] },
    } as KubeObject);
  }

  read(name: string): readonly string[] {
    return this.set
      .cacheNamed(name)
      .list()
      .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  }

  get states(): readonly string[] {
    return (this.set.namespaces ?? []).map(({ name, state }) => `${name} ${state}`);
  }
}

/** What a watch is of: `namespace/plural`, or what it is limited to by name. */
export function whatOf({
  resource: { plural },
  parameters: { namespace, fieldSelector },
}: OpenWatch): string {
  if (fieldSelector !== undefined) return `${plural} ${fieldSelector.replace('metadata.name=', '')}`;
  return namespace === undefined ? plural : `${namespace}/${plural}`;
}

/** An event as {@link ServedCacheSet.heard} has it. */
export function told({ type, object: { metadata } }: CacheEvent<KubeObject>): string {
  return `${type} ${metadata.namespace}/${metadata.name}`;
}
