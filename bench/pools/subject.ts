import { yurtAppDaemons, type NodePool } from '@atoll/api';
import type { StreamingClient } from '@atoll/kube';
import type { Subject } from '../rollout/subject.ts';
import { PoolsBaseline } from './baseline.ts';
import { changeImage, create, remove } from './workload.ts';
import { countWrites, type Written } from './written.ts';

/** One workload in all pools. */
export function workloadIn(client: StreamingClient, pools: readonly NodePool[]): Subject<Written> {
  return {
    plural: yurtAppDaemons.plural,
    children: pools.length,
    create: async (namespace) => create(client, namespace),
    changeImage: async (namespace) => changeImage(client, namespace),
    remove: async (namespace) => remove(client, namespace),
    baseline: (namespace) => new PoolsBaseline(client, namespace, pools),
    countWrites,
  };
}
