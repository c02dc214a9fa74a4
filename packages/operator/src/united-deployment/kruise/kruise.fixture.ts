import { annotations, kruiseGroup, labels, type Subset, type UnitedDeployment } from '@atoll/api';
import {
  canonicalJson,
  type ControllerRevision,
  type KubeObject,
  type OwnerReference,
  type Stored,
} from '@atoll/kube';

/**
 * What Kruise v1.9.0 leaves of a UnitedDeployment, built field by field from `reference/uniteddeployment.md`: sections
 * 1.3 to 1.5 (status, conditions, defaults), 2 (labels), 3.3 (revisions), 3.5 and 3.6 (children), 3.11 (reservation).
 */
export interface KruiseChild {
  readonly owner: Stored<UnitedDeployment>;
  readonly subset: string;
  /** The five characters that the API server adds to the generated name. */
  readonly suffix: string;
  /** The name of the revision in its label. */
  readonly revision: string;
  readonly replicas: number;
  /** Of a StatefulSet. */
  readonly partition?: number;
  /** The pod template with the subset's patch, written down by hand. */
  readonly patched?: (template: PodTemplate) => PodTemplate;
}

export interface PodTemplate {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: PodSpec;
}

interface PodSpec {
  readonly tolerations?: readonly object[];
  readonly affinity?: { readonly nodeAffinity?: NodeAffinity };
  readonly containers?: readonly object[];
}

interface NodeAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: {
    readonly nodeSelectorTerms: readonly { readonly matchExpressions?: readonly object[] }[];
  };
}

/** The member of `spec.template` that is set. */
interface KruiseTemplate {
  readonly kind:
    'statefulSetTemplate' | 'advancedStatefulSetTemplate' | 'cloneSetTemplate' | 'deploymentTemplate';
  readonly metadata: { readonly labels?: object; readonly annotations?: object };
  readonly spec: Readonly<Record<string, unknown>> & { readonly template: PodTemplate };
}

/**
 * As its webhook stores an object: defaults filled in, and read and written again by Go, which leaves zero values where
 * a struct is no pointer. StatefulSets alone get the defaults of Kubernetes too; those are the caller's.
 */
export function storedByKruise(object: UnitedDeployment): UnitedDeployment {
  const { spec } = object;
  const subsets = spec.topology?.subsets ?? [];
  const bounded = subsets.some(({ minReplicas, maxReplicas }) => (minReplicas ?? maxReplicas) !== undefined);
  const withMin = (each: Subset): Subset => ({ ...each, minReplicas: each.minReplicas ?? 0 });
  return {
    ...object,
    spec: {
      ...spec,
      template: typedTemplate(spec.template),
      topology: { ...spec.topology, subsets: bounded ? subsets.map(withMin) : subsets },
      updateStrategy: { type: 'Manual', manualUpdate: {}, ...spec.updateStrategy },
      revisionHistoryLimit: spec.revisionHistoryLimit ?? 10,
    },
  } as UnitedDeployment;
}

/** The revision of the owner's present template. Kruise's own hash, so that names are the ones that it gives. */
export function kruiseRevision(owner: Stored<UnitedDeployment>, revision: number): ControllerRevision {
  const { name, namespace = '' } = owner.metadata;
  const template = typedTemplate(owner.spec.template) as Readonly<Record<string, unknown>>;
  const data = { spec: { template: { ...template, $patch: 'replace' } } };
  const hash = safeEncoded(String(fnv1(canonicalJson(data))));
  const { kind, metadata } = templateOf(owner);
  return {
    metadata: {
      name: `${name.slice(0, 223)}-${hash}`,
      namespace,
      // Those of CloneSets carry no labels of the template (9.2, 5).
      labels: { ...(kind === 'cloneSetTemplate' ? {} : metadata.labels), [labels.revisionHash]: hash },
      ownerReferences: [kruiseOwner(owner)],
    },
    // The keys sorted, as Go writes them.
    data: JSON.parse(canonicalJson(data)) as Readonly<Record<string, unknown>>,
    revision,
  };
}

export function kruiseChild(child: KruiseChild): KubeObject & { readonly spec: object } {
  const { owner, subset: subsetName, suffix, revision, replicas, partition = 0, patched } = child;
  const { name, namespace = '' } = owner.metadata;
  const { selector, topology } = owner.spec;
  const subset = topology?.subsets?.find((each) => each.name === subsetName);
  if (subset === undefined) throw new Error(`${name} has no subset ${subsetName}`);
  const { kind, metadata, spec } = templateOf(owner);
  const marks = { [labels.subsetRevision]: revision, [labels.subsetName]: subsetName };
  const { template } = spec;
  const placed: PodTemplate = {
    ...template,
    metadata: { ...template.metadata, labels: { ...template.metadata.labels, ...marks } },
    spec: placedSpec(template.spec, subset),
  };
  return {
    metadata: {
      generateName: `${name}-${subsetName}-`,
      name: `${name}-${subsetName}-${suffix}`,
      namespace,
      labels: { ...metadata.labels, ...selector.matchLabels, ...marks },
      annotations: {
        ...metadata.annotations,
        [annotations.subsetPatch]: subset.patch === undefined ? '' : canonicalJson(subset.patch),
      },
      ownerReferences: [kruiseOwner(owner)],
    },
    spec: {
      ...spec,
      ...strategyOf(kind, spec, partition),
      replicas,
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [labels.subsetName]: subsetName } },
      template: patched === undefined ? placed : patched(placed),
    },
  };
}

/** Its status of one subset. */
export interface KruiseSubset {
  readonly name: string;
  readonly replicas: number;
  readonly readyReplicas?: number;
  readonly partition?: number;
  readonly schedulable?: boolean;
  /** Since when it is schedulable, or is not; long ago by default. */
  readonly since?: string;
  readonly reservedPods?: number;
}

export interface KruiseStanding {
  readonly owner: Stored<UnitedDeployment>;
  readonly subsets: readonly KruiseSubset[];
  readonly currentRevision: string;
  readonly updatedRevision: string;
  readonly updatedReplicas: number;
}

/** The status of v1.9.0, in the shape of v1alpha1. */
export function kruiseStatus({ owner, subsets, ...standing }: KruiseStanding): object {
  const { currentRevision, updatedRevision, updatedReplicas } = standing;
  const sum = (of: (subset: KruiseSubset) => number): number =>
    subsets.reduce((total, subset) => total + of(subset), 0);
  const reserving = owner.spec.topology?.scheduleStrategy?.adaptive?.reserveUnschedulablePods === true;
  const reserved = sum(({ reservedPods = 0 }) => reservedPods);
  const ready = sum(({ replicas, readyReplicas = replicas }) => readyReplicas);
  const selector = Object.entries(owner.spec.selector.matchLabels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  const at = '2026-06-21T08:00:00Z';
  const updated = currentRevision === updatedRevision;
  return {
    observedGeneration: owner.metadata.generation ?? 1,
    replicas: sum(({ replicas }) => replicas) - reserved,
    readyReplicas: ready,
    updatedReplicas,
    // Of pods that are not ready none is at an older revision.
    updatedReadyReplicas: Math.min(updatedReplicas, ready),
    ...(reserved === 0 ? {} : { reservedPods: reserved }),
    currentRevision,
    updateStatus: {
      updatedRevision,
      currentPartitions: Object.fromEntries(subsets.map(({ name, partition = 0 }) => [name, partition])),
    },
    subsetReplicas: Object.fromEntries(subsets.map(({ name, replicas }) => [name, replicas])),
    subsetStatuses: subsets.map((subset) => {
      const {
        name,
        replicas,
        readyReplicas = replicas,
        partition = 0,
        schedulable,
        since = at,
        reservedPods = 0,
      } = subset;
      const condition = {
        type: 'Schedulable',
        status: schedulable === false ? 'False' : 'True',
        lastTransitionTime: since,
        reason: 'reschedule',
      };
      return {
        name,
        replicas,
        readyReplicas,
        partition,
        ...(reservedPods === 0 ? {} : { reservedPods }),
        ...(schedulable === undefined ? {} : { conditions: [condition] }),
      };
    }),
    conditions: [
      { type: 'SubsetProvisioned', status: 'True', lastTransitionTime: at },
      { type: 'SubsetUpdated', status: 'True', lastTransitionTime: at },
      {
        type: 'UnitedDeploymentUpdated',
        status: updated ? 'True' : 'False',
        reason: updated ? 'UnitedDeploymentRevisionUpdated' : 'UnitedDeploymentRevisionUpdating',
        lastTransitionTime: at,
      },
    ],
    labelSelector: reserving ? `${selector},${labels.reservedPod}=false` : selector,
  };
}

function templateOf({ spec }: UnitedDeployment): KruiseTemplate {
  for (const [kind, value] of Object.entries(spec.template ?? {})) {
    const { metadata = {}, ...rest } = value as Partial<KruiseTemplate>;
    return { ...rest, kind, metadata } as KruiseTemplate;
  }
  throw new Error('a UnitedDeployment without a template has no children');
}

/** Each kind's partition, where Kruise's adapter writes it (3.15); the template's own strategy otherwise. */
function strategyOf(
  kind: KruiseTemplate['kind'],
  { updateStrategy }: Readonly<Record<string, unknown>>,
  partition: number,
): object {
  const given = (updateStrategy ?? {}) as { readonly type?: string; readonly rollingUpdate?: object };
  if (kind === 'deploymentTemplate') return {};
  if (kind === 'cloneSetTemplate') return { updateStrategy: { ...given, partition } };
  if (given.type === 'OnDelete') return { updateStrategy: { type: 'OnDelete' } };
  const type = kind === 'statefulSetTemplate' ? 'RollingUpdate' : given.type;
  const rollingUpdate = { ...given.rollingUpdate, partition };
  return { updateStrategy: { ...given, ...(type === undefined ? {} : { type }), rollingUpdate } };
}

/** The subset's expressions at the end of every term, its tolerations behind the template's own. Fields are ignored. */
function placedSpec(spec: PodSpec, { nodeSelectorTerm, tolerations }: Subset): PodSpec {
  const own = nodeSelectorTerm?.matchExpressions ?? [];
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const terms = required?.nodeSelectorTerms ?? [{}];
  const nodeSelectorTerms = terms.map((term) => ({
    ...term,
    matchExpressions: [...(term.matchExpressions ?? []), ...own],
  }));
  const nodeAffinity = {
    ...spec.affinity?.nodeAffinity,
    requiredDuringSchedulingIgnoredDuringExecution: { ...required, nodeSelectorTerms },
  };
  const all = [...(spec.tolerations ?? []), ...(tolerations ?? [])];
  return {
    ...spec,
    ...(own.length === 0 ? {} : { affinity: { ...spec.affinity, nodeAffinity } }),
    ...(all.length === 0 ? {} : { tolerations: all }),
  };
}

function kruiseOwner({ metadata }: Stored<UnitedDeployment>): OwnerReference {
  return {
    apiVersion: `${kruiseGroup}/v1alpha1`,
    kind: 'UnitedDeployment',
    name: metadata.name,
    uid: metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** What Go adds when it has read a template into its types and writes it again (3.3). */
function typedTemplate(template: UnitedDeployment['spec']['template']): object {
  return Object.fromEntries(
    Object.entries(template ?? {}).map(([kind, value]) => {
      const { metadata, spec } = value as unknown as KruiseTemplate;
      const strategy = kind === 'deploymentTemplate' ? { strategy: {} } : { updateStrategy: {} };
      const more = kind === 'cloneSetTemplate' ? { scaleStrategy: {} } : {};
      const service = kind === 'statefulSetTemplate' ? { serviceName: '' } : {};
      const typed = {
        selector: null,
        ...strategy,
        ...more,
        ...service,
        ...spec,
        template: typedPods(spec.template),
      };
      return [kind, { metadata: { creationTimestamp: null, ...metadata }, spec: typed }];
    }),
  );
}

function typedPods({ metadata, spec }: PodTemplate): object {
  const containers = spec.containers?.map((container) => ({ resources: {}, ...container }));
  return { metadata: { creationTimestamp: null, ...metadata }, spec: { ...spec, containers } };
}

/** FNV-1 of 32 bits (not 1a), as Go's `hash/fnv` has it. */
function fnv1(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = (Math.imul(hash, 0x01000193) ^ byte) >>> 0;
  return hash;
}

/** Each byte as a letter of the alphabet of Kubernetes' generated names. */
function safeEncoded(text: string): string {
  const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
  return Array.from(Buffer.from(text), (byte) => alphabet.charAt(byte % alphabet.length)).join('');
}
