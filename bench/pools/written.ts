import type { AuditEntry } from '@atoll/testbed';
import { countRolloutWrites, statusWrites, type RolloutWrites } from '../rollout/rollout-writes.ts';

export interface Written extends RolloutWrites {
  readonly nodePatches: number;
  /** Of the pool workload's status. */
  readonly workloadStatus: number;
  readonly poolStatus: number;
}

export function countWrites(entries: readonly AuditEntry[]): Written {
  return {
    ...countRolloutWrites(entries),
    nodePatches: entries.filter(({ resource, verb }) => resource === 'nodes' && verb === 'patch').length,
    workloadStatus: statusWrites(entries, 'yurtappdaemons').length,
    poolStatus: statusWrites(entries, 'nodepools').length,
  };
}

/** The most status writes of one pool that fell into any one second. */
export function mostPerPoolAndSecond(entries: readonly AuditEntry[]): number {
  const times = new Map<string, number[]>();
  for (const { name = '', receivedAt } of statusWrites(entries, 'nodepools')) {
    times.set(name, [...(times.get(name) ?? []), receivedAt]);
  }
  let most = 0;
  for (const unsorted of times.values()) {
    const sorted = unsorted.toSorted((a, b) => a - b);
    for (const start of sorted) {
      most = Math.max(most, sorted.filter((time) => time >= start && time < start + 1000).length);
    }
  }
  return most;
}
