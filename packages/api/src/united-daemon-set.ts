import type { Resource } from '@atoll/kube';
import type { PoolWorkload } from './pool-workload.ts';
import { openYurtGroup } from './names.ts';

export type UnitedDaemonSet = PoolWorkload;

export const unitedDaemonSets: Resource<UnitedDaemonSet> = {
  group: openYurtGroup,
  version: 'v1alpha1',
  kind: 'UnitedDaemonSet',
  plural: 'uniteddaemonsets',
  namespaced: true,
};
