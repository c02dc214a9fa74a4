import { deployments, statefulSets } from '@atoll/kube';
import { advancedStatefulSets, cloneSets } from '@atoll/api';
import type { KubeObject, Resource } from '@atoll/kube';

/** The kinds that a template can be of, named as people and events name them. */
export type ChildKind = 'Deployment' | 'StatefulSet' | 'AdvancedStatefulSet' | 'CloneSet';

export const childKinds: readonly ChildKind[] = [
  'AdvancedStatefulSet',
  'CloneSet',
  'Deployment',
  'StatefulSet',
];

/** What follows from a child's kind. */
export interface KindFacts {
  readonly resource: Resource<KubeObject>;
  /** The member of `spec.template` that asks for it. */
  readonly member:
    'deploymentTemplate' | 'statefulSetTemplate' | 'advancedStatefulSetTemplate' | 'cloneSetTemplate';
  /** OpenKruise's, which need not be installed. */
  readonly optional: boolean;
  /** Pods have ordinals, and a smaller child loses those with the highest. */
  readonly ordinal: boolean;
  /** It can hold pods back at an older revision. */
  readonly partitioned: boolean;
}

export const kindFacts: Readonly<Record<ChildKind, KindFacts>> = {
  Deployment: {
    resource: deployments,
    member: 'deploymentTemplate',
    optional: false,
    ordinal: false,
    partitioned: false,
  },
  StatefulSet: {
    resource: statefulSets,
    member: 'statefulSetTemplate',
    optional: false,
    ordinal: true,
    partitioned: true,
  },
  AdvancedStatefulSet: {
    resource: advancedStatefulSets,
    member: 'advancedStatefulSetTemplate',
    optional: true,
    ordinal: true,
    partitioned: true,
  },
  CloneSet: {
    resource: cloneSets,
    member: 'cloneSetTemplate',
    optional: true,
    ordinal: false,
    partitioned: true,
  },
};
