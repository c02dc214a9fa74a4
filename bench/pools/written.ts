import type { AuditEntry } from '@atoll/testbed';

/** Writes of the operator that the API server accepted or refused, as its audit log counts them. */
export interface Written {
  readonly creates: number;
  readonly applies: number;
  readonly deletes: number;
  readonly nodePatches: number;
  /** Of the pool workload's status. */
  readonly workloadStatus: number;
  readonly poolStatus: number;
  readonly events: number;
  /** Of all, those that the API server refused. */
  readonly refused: number;
  /** Without events and the leader's lease. */
  readonly total: number;
}

export function countWrites(entries: readonly AuditEntry[]): Written {
  const count = (is: (entry: AuditEntry) => boolean): number => entries.filter(is).length;
  const isChild = (entry: AuditEntry): boolean => entry.resource === 'deployments.apps';
  const isEvent = ({ resource }: AuditEntry): boolean => resource === 'events.events.k8s.io';
  return {
    creates: count((entry) => isChild(entry) && entry.code === 201),
    applies: count((entry) => isChild(entry) && entry.verb === 'patch' && entry.code === 200),
    deletes: count((entry) => isChild(entry) && entry.verb === 'delete'),
    nodePatches: count(({ resource, verb }) => resource === 'nodes' && verb === 'patch'),
    workloadStatus: count(isStatusOf('yurtappdaemons')),
    poolStatus: count(isStatusOf('nodepools')),
    events: count(isEvent),
    refused: count(({ code }) => code >= 400),
    total: count((entry) => !isEvent(entry)),
  };
}

/** The most status writes of one pool that fell into any one second. */
export function mostPerPoolAndSecond(entries: readonly AuditEntry[]): number {
  const times = new Map<string, number[]>();
  for (const entry of entries.filter(isStatusOf('nodepools'))) {
    const name = entry.name ?? '';
    times.set(name, [...(times.get(name) ?? []), entry.receivedAt]);
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

function isStatusOf(plural: string): (entry: AuditEntry) => boolean {
  return ({ resource, subresource }) => resource.startsWith(`${plural}.`) && subresource === 'status';
}
