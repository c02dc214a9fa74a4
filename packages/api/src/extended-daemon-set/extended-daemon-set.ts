import type { KubeObject, PodTemplateSpec, Resource } from '@atoll/kube';
import type { z } from 'zod';
import type {
  extendedDaemonSetSpec,
  extendedDaemonSetStatus,
} from '../schema/extended-daemon-set/extended-daemon-set.ts';
import type { extendedCondition } from '../schema/extended-daemon-set/condition.ts';
import type { Frozen } from '../schema/frozen.ts';
import { datadogGroup } from './names.ts';

type WrittenSpec = Frozen<z.input<typeof extendedDaemonSetSpec>>;

/** As a user wrote it: `withDefaults` fills in what is left out. */
export interface ExtendedDaemonSetSpec extends Omit<WrittenSpec, 'template'> {
  /** The API server judges it only when a pod is created. */
  readonly template: PodTemplateSpec;
}
export type ExtendedDaemonSetStatus = Frozen<z.input<typeof extendedDaemonSetStatus>>;

/** `spec.strategy`. */
export type ExtendedDaemonSetStrategy = ExtendedDaemonSetSpec['strategy'];

/** `spec.strategy.canary`. */
export type CanaryStrategy = NonNullable<ExtendedDaemonSetStrategy['canary']>;

/** `status.conditions[]` of the ExtendedDaemonSet and of its replica sets. */
export type ExtendedDaemonSetCondition = Frozen<z.input<typeof extendedCondition>>;

export interface ExtendedDaemonSet extends KubeObject {
  readonly spec: ExtendedDaemonSetSpec;
  readonly status?: ExtendedDaemonSetStatus;
}

export const extendedDaemonSets: Resource<ExtendedDaemonSet> = {
  group: datadogGroup,
  version: 'v1alpha1',
  kind: 'ExtendedDaemonSet',
  plural: 'extendeddaemonsets',
  namespaced: true,
};
