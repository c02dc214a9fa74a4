import type { KubeObject, PodTemplateSpec, Resource } from '@atoll/kube';
import type { z } from 'zod';
import type {
  extendedDaemonSetReplicaSetSpec,
  extendedDaemonSetReplicaSetStatus,
} from '../schema/extended-daemon-set/extended-daemon-set-replica-set.ts';
import type { Frozen } from '../schema/frozen.ts';
import { datadogGroup } from './names.ts';

type WrittenSpec = Frozen<z.input<typeof extendedDaemonSetReplicaSetSpec>>;

export interface ExtendedDaemonSetReplicaSetSpec extends Omit<WrittenSpec, 'template'> {
  readonly template: PodTemplateSpec;
}
export type ExtendedDaemonSetReplicaSetStatus = Frozen<z.input<typeof extendedDaemonSetReplicaSetStatus>>;

/** One template of an ExtendedDaemonSet. The strategy is in the ExtendedDaemonSet alone. */
export interface ExtendedDaemonSetReplicaSet extends KubeObject {
  readonly spec: ExtendedDaemonSetReplicaSetSpec;
  readonly status?: ExtendedDaemonSetReplicaSetStatus;
}

export const extendedDaemonSetReplicaSets: Resource<ExtendedDaemonSetReplicaSet> = {
  group: datadogGroup,
  version: 'v1alpha1',
  kind: 'ExtendedDaemonSetReplicaSet',
  plural: 'extendeddaemonsetreplicasets',
  namespaced: true,
};
