import type { KubeObject, Resource } from '@atoll/kube';
import type { z } from 'zod';
import { openYurtGroup } from './names.ts';
import type { Frozen } from './schema/frozen.ts';
import type { nodePoolSpec, nodePoolStatus, taint } from './schema/node-pool.ts';

export type NodePoolSpec = Frozen<NonNullable<z.input<typeof nodePoolSpec>>>;
export type NodePoolStatus = Frozen<z.input<typeof nodePoolStatus>>;

/** A node that stays as an old operator left it, and has no note of that yet. */
export type UnnotedNode = NonNullable<NodePoolStatus['unnotedNodes']>[number];

/** A core v1 Taint, as a pool gives it to its nodes. */
export type PoolTaint = Frozen<z.input<typeof taint>>;

export interface NodePool extends KubeObject {
  readonly spec?: NodePoolSpec;
  readonly status?: NodePoolStatus;
}

/** All served versions share one schema; we read and write the stored one. */
export const nodePools: Resource<NodePool> = {
  group: openYurtGroup,
  version: 'v1beta2',
  kind: 'NodePool',
  plural: 'nodepools',
  namespaced: false,
};
