import { mergeProjections, projectionOfPaths, wholeObject, type Projection } from '../decoder/projection.ts';
import { whileAll, whileServed, type FollowRule } from './follow-rule.ts';
import { ReflectedInformer, type Informer, type InformerNeeds, type InformerOptions } from './informer.ts';
import type { KubeObject } from '../objects/object.ts';
import { OptionalInformer } from './optional-informer.ts';
import { ServedNamespace } from './served-namespace.ts';
import { Outage } from '../reflector/outage.ts';
import type { ReflectorObserver } from '../reflector/reflector-options.ts';
import type { ReflectorState } from '../reflector/reflector.ts';
import { apiVersionOf, groupResourceOf, type Resource } from '../objects/resource.ts';
import { customResourceDefinitions, namespaces } from '../objects/resources.ts';
import { definitionFields, definitionName } from '../objects/serving-definition.ts';
import { silentLogger } from '../telemetry/logger.ts';
import type { Namespace } from '../types/index.ts';

/** What all informers of a process share. */
export type InformersOptions = Pick<
  InformerOptions<KubeObject>,
  'client' | 'clock' | 'logger' | 'pace' | 'random'
> & {
  /** What is recorded of each resource's reflector, for metrics. */
  readonly observer?: (resource: Resource<KubeObject>) => ReflectorObserver;
};

/** Which objects of a resource; needs with equal limits share one informer. */
export type InformerLimits = Pick<
  InformerOptions<KubeObject>,
  'namespace' | 'labelSelector' | 'fieldSelector'
>;

/** One informer for each resource that somebody reads, however many read it. */
export interface Informers {
  /**
   * The informer of a resource, holding at least the fields of the projection (default: all) and the indexes. Users of
   * one resource share it: fields and indexes are added up. Throws where it is to be made, or has to hold more, after {@link start}.
   */
  informer<T extends KubeObject>(
    resource: Resource<T>,
    needs?: InformerNeeds<T>,
    limits?: InformerLimits,
  ): Informer<T>;
  /**
   * The informer of a kind whose CustomResourceDefinition may be absent, come later and go again. It costs one watch of
   * that one definition, by name, and nothing else while it is absent.
   */
  optional<T extends KubeObject>(resource: Resource<T>, needs?: InformerNeeds<T>): OptionalInformer<T>;
  /** The informer of objects that are followed while the rule asks for it; its name is that of what it follows. */
  followedWhile<T extends KubeObject>(
    name: string,
    rule: FollowRule,
    resource: Resource<T>,
    needs?: InformerNeeds<T>,
    limits?: InformerLimits,
  ): OptionalInformer<T>;
  /** One of the namespaces that the process is limited to. It costs one watch of that one namespace, by name. */
  servedNamespace(name: string): ServedNamespace;
  /**
   * The informer of the objects in such a namespace: they are followed while it is there, and while these rules allow it. Whether the
   * namespace is served does not depend on it until it is added to it.
   */
  inNamespace<T extends KubeObject>(
    namespace: ServedNamespace,
    rules: NamedRules,
    resource: Resource<T>,
    needs?: InformerNeeds<T>,
    limits?: InformerLimits,
  ): { readonly informer: OptionalInformer<T>; readonly rule: FollowRule };
  /** While the CustomResourceDefinition of the resource is established; costs what {@link optional} costs. */
  whileServed(resource: Resource<KubeObject>): FollowRule;
  /** Starts all; resolves when the signal has ended and all have stopped. */
  start(signal: AbortSignal): Promise<void>;
  /** Resolves when each has its first content; rejects where the signal ends before. */
  synced(): Promise<void>;
  states(): ReadonlyMap<string, ReflectorState>;
}

/** Rules for objects in a namespace; those of the same name are the same. */
export type NamedRules = Readonly<Record<string, FollowRule>>;

/** The informers of a process, without any yet. Declare all before {@link Informers.start}. */
export function createInformers(options: InformersOptions): Informers {
  return new SharedInformers(options);
}

class SharedInformers implements Informers {
  readonly #observer: InformersOptions['observer'];
  readonly #shared: Omit<InformersOptions, 'observer'> & { readonly outage: Outage };
  readonly #entries = new Map<string, Entry>();
  readonly #namespaces = new Map<string, ServedNamespace>();
  #isStarted = false;

  constructor({ observer, ...shared }: InformersOptions) {
    this.#observer = observer;
    this.#shared = { ...shared, outage: new Outage() };
  }

  informer<T extends KubeObject>(
    resource: Resource<T>,
    needs: InformerNeeds<T> = {},
    limits: InformerLimits = {},
  ): ReflectedInformer<T> {
    const make = (): ReflectedInformer<T> => new ReflectedInformer<T>(this.#optionsFor(resource, limits));
    return this.#entered(nameOf(resource, limits), needs, make);
  }

  optional<T extends KubeObject>(resource: Resource<T>, needs: InformerNeeds<T> = {}): OptionalInformer<T> {
    const make = (): OptionalInformer<T> => {
      const rule = this.whileServed(resource);
      return new OptionalInformer<T>({ ...this.#optionsFor(resource, {}), rule });
    };
    return this.#entered(`${nameOf(resource, {})} where it is served`, needs, make);
  }

  followedWhile<T extends KubeObject>(
    name: string,
    rule: FollowRule,
    resource: Resource<T>,
    needs: InformerNeeds<T> = {},
    limits: InformerLimits = {},
  ): OptionalInformer<T> {
    const make = (): OptionalInformer<T> =>
      new OptionalInformer<T>({ ...this.#optionsFor(resource, limits), rule });
    return this.#entered(`${nameOf(resource, limits)} while ${name} asks for it`, needs, make);
  }

  servedNamespace(name: string): ServedNamespace {
    const known = this.#namespaces.get(name);
    if (known !== undefined) return known;
    const follower = this.informer(
      namespaces,
      { projection: nothingElse },
      { fieldSelector: `metadata.name=${name}` },
    );
    const made = new ServedNamespace(name, follower, this.#shared.logger ?? silentLogger);
    this.#namespaces.set(name, made);
    return made;
  }

  inNamespace<T extends KubeObject>(
    { name: namespace, rule: whileThere }: ServedNamespace,
    rules: NamedRules,
    resource: Resource<T>,
    needs: InformerNeeds<T> = {},
    limits: InformerLimits = {},
  ): { readonly informer: OptionalInformer<T>; readonly rule: FollowRule } {
    const rule = whileAll([whileThere, ...Object.values(rules)]);
    const limited = { ...limits, namespace };
    const make = (): OptionalInformer<T> =>
      new OptionalInformer<T>({ ...this.#optionsFor(resource, limited), rule });
    const key = [nameOf(resource, limited), ...Object.keys(rules)].join(' ');
    return { informer: this.#entered(key, needs, make), rule };
  }

  whileServed(resource: Resource<KubeObject>): FollowRule {
    const fieldSelector = `metadata.name=${definitionName(resource)}`;
    const fields = { projection: definitionFields };
    return whileServed(this.informer(customResourceDefinitions, fields, { fieldSelector }), resource);
  }

  async start(signal: AbortSignal): Promise<void> {
    this.#isStarted = true;
    await Promise.all([...this.#entries.values()].map((entry) => entry.informer.start(signal)));
  }

  async synced(): Promise<void> {
    await Promise.all([...this.#entries.values()].map((entry) => entry.informer.synced));
  }

  states(): ReadonlyMap<string, ReflectorState> {
    return new Map([...this.#entries].map(([key, entry]) => [key, entry.informer.state]));
  }

  /** The informer of that name, made where it is not there, with these needs added. */
  #entered<T extends KubeObject, I extends ExtensibleInformer<T>>(
    key: string,
    needs: InformerNeeds<T>,
    make: () => I,
  ): I {
    const known = this.#entries.get(key) as Entry<T, I> | undefined;
    if (known === undefined && this.#isStarted)
      throw new Error(`the informers were started; ${key} must be declared before`);
    const entry: Entry<T, I> = known ?? { informer: make(), projections: [], indexers: {} };
    if (known === undefined || !isKnown(entry, needs)) {
      const projections = [...entry.projections, needs.projection ?? wholeObject<T>()];
      const { indexers = {} } = needs;
      entry.informer.extend({ indexers, projection: mergeProjections(projections) });
      entry.projections = projections;
      entry.indexers = { ...entry.indexers, ...indexers };
    }
    this.#entries.set(key, entry as unknown as Entry);
    return entry.informer;
  }

  #optionsFor<T extends KubeObject>(resource: Resource<T>, limits: InformerLimits): InformerOptions<T> {
    const observer = this.#observer?.(resource);
    return { ...this.#shared, ...limits, ...(observer === undefined ? {} : { observer }), resource };
  }
}

/** Whether it is there, and whether it is being deleted, is kept of everything. */
const nothingElse = projectionOfPaths<Namespace>([]);

interface ExtensibleInformer<T extends KubeObject> extends Informer<T> {
  extend(needs: InformerNeeds<T>): void;
}

interface Entry<T extends KubeObject = KubeObject, I extends ExtensibleInformer<T> = ExtensibleInformer<T>> {
  readonly informer: I;
  projections: readonly Projection<T>[];
  indexers: NonNullable<InformerNeeds<T>['indexers']>;
}

/** Whether the needs were declared before, so that they can be met at any time. */
function isKnown<T extends KubeObject>(entry: Entry<T>, needs: InformerNeeds<T>): boolean {
  const all = mergeProjections(entry.projections);
  const more = mergeProjections([...entry.projections, needs.projection ?? wholeObject<T>()]);
  if (String(all.paths) !== String(more.paths)) return false;
  return Object.entries(needs.indexers ?? {}).every(([name, file]) => entry.indexers[name] === file);
}

function nameOf(
  resource: Resource<KubeObject>,
  { namespace, labelSelector, fieldSelector }: InformerLimits,
): string {
  const name = `${groupResourceOf(resource)} ${apiVersionOf(resource)}`;
  const limits = Object.entries({ namespace, labelSelector, fieldSelector }).flatMap(([limit, value]) =>
    value === undefined ? [] : [`${limit} ${value}`],
  );
  return [name, ...limits].join(', ');
}
