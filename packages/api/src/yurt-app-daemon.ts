import type { Resource } from '@atoll/kube';
import type { PoolWorkload } from './pool-workload.ts';
import { openYurtGroup } from './names.ts';

export type YurtAppDaemon = PoolWorkload;

export const yurtAppDaemons: Resource<YurtAppDaemon> = {
  group: openYurtGroup,
  version: 'v1alpha1',
  kind: 'YurtAppDaemon',
  plural: 'yurtappdaemons',
  namespaced: true,
};
