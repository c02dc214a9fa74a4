import { annotations, labels, subsetRemovals, type Subset, type UnitedDeployment } from '@atoll/api';
import { controllerOf } from '@atoll/kube';
import type { KubeObject, ObjectKey, Resource } from '@atoll/kube';
import type { Room } from '../../neighbours/pods-of-subsets.ts';
import { kindFacts, type ChildKind } from '../../../src/united-deployment/subsets/child-kind.ts';

/** The objects of the worlds of UnitedDeployment, as small as decisions allow, and what people do to them. */
export const web: ObjectKey = { namespace: 'edge', name: 'web' };

interface Pods {
  readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
  readonly spec: {
    readonly containers: readonly {
      readonly name: string;
      readonly image: string;
      readonly env?: readonly { readonly name: string; readonly value: string }[];
    }[];
  };
}

/** A child of any kind. */
export interface SmallChild extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly template?: Pods;
    readonly updateStrategy?: {
      readonly partition?: number | string;
      readonly rollingUpdate?: { readonly partition?: number };
    };
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
  };
}

/** How a world's UnitedDeployment is made. */
export interface Shape {
  readonly kind: ChildKind;
  /** undefined: left out. */
  readonly total: number | undefined;
  readonly subsets: readonly Subset[];
  readonly strategy?: UnitedDeployment['spec']['updateStrategy'];
  readonly schedule?: NonNullable<UnitedDeployment['spec']['topology']>['scheduleStrategy'];
  /** Whether children stay until others have taken their place. */
  readonly twoPhases?: boolean;
}

/** The kinds that the worlds know. */
const worldKinds = [
  'Deployment',
  'StatefulSet',
  'CloneSet',
  'AdvancedStatefulSet',
] as const satisfies readonly ChildKind[];
export const childResources: readonly Resource<KubeObject>[] = worldKinds.map(
  (kind) => kindFacts[kind].resource,
);

export function united(shape: Shape, { namespace = '', name }: ObjectKey = web): UnitedDeployment {
  const { kind, total, subsets, strategy, schedule, twoPhases = false } = shape;
  const { afterReplacement } = subsetRemovals;
  const asked = twoPhases ? { annotations: { [annotations.subsetRemoval]: afterReplacement } } : {};
  const template = { metadata: { labels: { app: 'web' } }, spec: { template: pods('web:1') } };
  return {
    metadata: { name, namespace, ...asked },
    spec: {
      ...(total === undefined ? {} : { replicas: total }),
      selector: { matchLabels: { app: 'web' } },
      template: { [kindFacts[kind].member]: template } as unknown as UnitedDeployment['spec']['template'],
      topology: { subsets, ...(schedule === undefined ? {} : { scheduleStrategy: schedule }) },
      ...(strategy === undefined ? {} : { updateStrategy: strategy }),
    },
  };
}

function pods(image: string): Pods {
  return { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image }] } };
}

/** A Deployment that nobody owns and that is called like a child of ours would be found by its labels. */
export function strangerIn(subset: string): KubeObject {
  const object = {
    metadata: {
      name: 'stranger',
      namespace: web.namespace ?? '',
      labels: { app: 'web', [labels.subsetName]: subset },
      ownerReferences: [
        {
          apiVersion: 'apps.kruise.io/v1alpha1',
          kind: 'Other',
          name: 'web',
          uid: 'uid-other',
          controller: true,
        },
      ],
    },
    spec: { replicas: 1, template: pods('other:1') },
  };
  return object;
}

export function subsetOf({ metadata }: KubeObject): string {
  return metadata.labels?.[labels.subsetName] ?? '';
}

export function ownerOf(object: KubeObject): string | undefined {
  return controllerOf(object)?.uid;
}

export function kindOf({ spec }: UnitedDeployment): ChildKind {
  return worldKinds.find((kind) => spec.template[kindFacts[kind].member] !== undefined) ?? 'Deployment';
}

export function subsetsOf({ spec }: UnitedDeployment): readonly Subset[] {
  return spec.topology?.subsets ?? [];
}

export function imageOf(object: UnitedDeployment): string {
  const template = object.spec.template[kindFacts[kindOf(object)].member] as unknown as SmallChild;
  return imageIn(template);
}

export function imageIn({ spec }: SmallChild): string {
  return spec?.template?.spec.containers[0]?.image ?? '';
}

/** What a subset's patch of these worlds sets. */
export function modeIn({ spec }: SmallChild): string | undefined {
  return spec?.template?.spec.containers[0]?.env?.find(({ name }) => name === 'MODE')?.value;
}

/** How many pods the child holds back at an older revision, where its kind keeps that. */
export function partitionIn({ spec, kind }: SmallChild): number {
  const { partition, rollingUpdate } = spec?.updateStrategy ?? {};
  return Number((kind === 'CloneSet' ? partition : rollingUpdate?.partition) ?? 0);
}

/** A change by a person: words and merge patch. */
export interface Change {
  readonly label: string;
  readonly patch: object;
}

export function editImage(object: UnitedDeployment): Change {
  const image = `web:${Number(imageOf(object).slice(4)) + 1}`;
  const template = { spec: { containers: [{ name: 'web', image }] } };
  const patch = { spec: { template: { [kindFacts[kindOf(object)].member]: { spec: { template } } } } };
  return { label: `sets the image ${image}`, patch };
}

/** As an autoscaler does by way of `scale`. */
export function scaleTo(totals: readonly number[], { spec }: UnitedDeployment): readonly Change[] {
  return totals
    .filter((total) => total !== spec.replicas)
    .map((replicas) => ({ label: `scales to ${replicas}`, patch: { spec: { replicas } } }));
}

/** The subsets get other numbers, and the total is their sum. */
export function renumber(numbers: readonly number[], object: UnitedDeployment): Change {
  const subsets = subsetsOf(object).map((subset, index) => ({ ...subset, replicas: numbers[index] ?? 0 }));
  const replicas = numbers.reduce((sum, each) => sum + each, 0);
  return {
    label: `sets the subsets to ${numbers.join(', ')}`,
    patch: { spec: { replicas, topology: { subsets } } },
  };
}

/** The last subset goes, or comes back. */
export function dropOrAdd(all: readonly Subset[], object: UnitedDeployment): Change {
  const { name } = all.at(-1) ?? { name: '' };
  const isThere = subsetsOf(object).length === all.length;
  const subsets = isThere ? all.slice(0, -1) : all;
  return {
    label: `${isThere ? 'removes' : 'adds'} subset ${name}`,
    patch: { spec: { topology: { subsets } } },
  };
}

/** A patch for the pods of the first subset. */
export function patchFirst(object: UnitedDeployment): Change {
  const [first, ...others] = subsetsOf(object);
  const container = { name: 'web', env: [{ name: 'MODE', value: 'b' }] };
  const patched = { ...first, patch: { spec: { containers: [container] } } };
  return {
    label: `patches the pods of subset ${first?.name}`,
    patch: { spec: { topology: { subsets: [patched, ...others] } } },
  };
}

export function releaseFirst(object: UnitedDeployment): Change {
  const [first] = subsetsOf(object);
  const partitions = { [first?.name ?? '']: 0 };
  return {
    label: `releases subset ${first?.name}`,
    patch: { spec: { updateStrategy: { type: 'Manual', manualUpdate: { partitions } } } },
  };
}

export function switchKind(object: UnitedDeployment): Change {
  const from = kindOf(object);
  const to: ChildKind = from === 'Deployment' ? 'StatefulSet' : 'Deployment';
  const template = object.spec.template[kindFacts[from].member];
  return {
    label: `makes it a ${to}`,
    patch: { spec: { template: { [kindFacts[from].member]: null, [kindFacts[to].member]: template } } },
  };
}

/** Removal in two phases is asked for, or not any more. */
export function askForPhases(object: UnitedDeployment): Change {
  const asks = waitsForOthers(object);
  const value = asks ? null : subsetRemovals.afterReplacement;
  return {
    label: asks ? 'lets children go at once' : 'lets children stay until others have taken their place',
    patch: { metadata: { annotations: { [annotations.subsetRemoval]: value } } },
  };
}

export function waitsForOthers({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[annotations.subsetRemoval] === subsetRemovals.afterReplacement;
}

/** Nodes come, or go. What runs goes on. */
export function setRoom({ metadata, spec }: Room): Change {
  const pods = spec.pods === 0 ? 2 : 0;
  return { label: `subset ${metadata.name} has room for ${pods} pods`, patch: { spec: { pods } } };
}

export function driftReplicas({ metadata, spec }: SmallChild): Change {
  const replicas = (spec?.replicas ?? 1) + 1;
  return { label: `scales ${metadata.name} to ${replicas} by hand`, patch: { spec: { replicas } } };
}
