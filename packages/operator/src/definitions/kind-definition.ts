import type { ValidationMode } from '@atoll/api';
import type { KindDefinition as KindSchema } from '@atoll/api/schema';
import type { CacheDeclaration, GaugePages, KubeObject, ReaderOf, Resource } from '@atoll/kube';
import type { KindWebhooks } from '../admission/kind-webhooks.ts';
import { caches, type CacheName, type Readers } from '../caches.ts';
import type { Findings } from '../causes/findings.ts';
import type { Controller } from '../engine/controller.ts';
import type { NamedFigures } from './object-figures.ts';
import type { SelectableController } from '../start-up/options/select-controllers.ts';

/** Writes of one resource that a controller may plan. A step for anything else is never sent. */
export interface DeclaredWrite {
  readonly resource: Resource<KubeObject>;
  readonly verbs: readonly ('create' | 'patch' | 'delete')[];
  readonly subresource?: 'status' | 'eviction';
  /** In which cache the next plan sees the write, where the controller reads several of the resource. */
  readonly seenIn?: CacheName;
}

/** What gauges of a kind are computed from, besides its caches. */
export interface GaugeSources {
  readonly isLeader: () => boolean;
  readonly objectDefaults: ObjectDefaults;
}

/** What an object has that does not state it, by the command line. */
export interface ObjectDefaults {
  readonly canaryValidationMode: ValidationMode;
}

/**
 * All that the operator needs of a kind. What may be switched on and off, what is installed, what the operator may do, what it
 * follows and which webhooks it serves follow from it.
 */
export interface KindDefinition extends SelectableController {
  /** What users write. */
  readonly resource: Resource<KubeObject>;
  /** Loads zod: only what installs or generates needs it. Absent: the kind is Kubernetes' own. */
  readonly schema?: () => Promise<KindSchema>;
  /** Kinds that come with it and that no webhook of ours judges. */
  readonly parts?: () => Promise<readonly KindSchema[]>;
  /** The caches that the controller reads, by name. */
  readonly reads: Readonly<Record<string, CacheDeclaration<KubeObject>>>;
  readonly writes: readonly DeclaredWrite[];
  /** Of the caches of a single object, those whose object is read live before steps that depend on it. */
  readonly confirms?: readonly CacheName[];
  /** Its children name it as an owner whose deletion waits for theirs; of a list, each of these. */
  readonly ownsChildren?: true | readonly Resource<KubeObject>[];
  readonly webhooks?: KindWebhooks;
  /** What its controller does not see in namespaces to which the operator is not limited, and what people have to do for it. */
  readonly unseenElsewhere?: string;
  /** The values of `atoll_object_*` for its objects, computed from the caches when they are read; that must stay cheap. */
  readonly figures?: (readers: Readers) => readonly NamedFigures[];
  /** More metrics of its objects, under the names of the operator that served them before. */
  readonly gauges?: (readers: Readers, sources: GaugeSources) => GaugePages;
  readonly create: (
    readers: Readers,
    findings: Findings,
    defaults: ObjectDefaults,
  ) => Controller<never, never>;
}

/** Caches that only this kind reads, by name. */
type OwnCaches = Readonly<Record<string, object>>;

interface Given<Own extends OwnCaches, Snapshot, Decision> extends Omit<KindDefinition, 'reads' | 'create'> {
  /** Names of the operator's caches. */
  readonly reads: readonly CacheName[];
  /** Caches that the operator does not have without this kind. */
  readonly caches?: Own;
  readonly create: (
    readers: Readers & { readonly [Name in keyof Own]: ReaderOf<Own[Name]> },
    /** Why workloads that plans name in `inspect` are not healthy. */
    findings: Findings,
    defaults: ObjectDefaults,
  ) => Controller<Snapshot, Decision>;
}

/** Declares a kind with the types of its caches and its controller. */
export function defineKind<Own extends OwnCaches, Snapshot, Decision>(
  given: Given<Own, Snapshot, Decision>,
): KindDefinition {
  const { reads, caches: own, ...definition } = given;
  const shared = reads.map((name) => [name, caches[name]] as const);
  // Snapshots never leave their controller: the engine hands each back to the controller that made it.
  return { ...definition, reads: { ...Object.fromEntries(shared), ...own } } as unknown as KindDefinition;
}
