import type { AuditEntry } from '@atoll/testbed';
import {
  childWrites,
  countRolloutWrites,
  statusWrites,
  type RolloutWrites,
} from '../rollout/rollout-writes.ts';

export interface Written extends RolloutWrites {
  /** Of the child that was written most often; its creation counts. */
  readonly mostPerChild: number;
  readonly children: number;
  readonly revisions: number;
  readonly status: number;
  /** Of the object whose status was written most often. */
  readonly mostStatusPerObject: number;
}

export function countWrites(entries: readonly AuditEntry[]): Written {
  const perChild = timesByName(childWrites(entries));
  const status = statusWrites(entries, 'uniteddeployments');
  return {
    ...countRolloutWrites(entries),
    mostPerChild: Math.max(0, ...perChild.values()),
    children: perChild.size,
    revisions: entries.filter(({ resource }) => resource === 'controllerrevisions.apps').length,
    status: status.length,
    mostStatusPerObject: Math.max(0, ...timesByName(status).values()),
  };
}

function timesByName(entries: readonly AuditEntry[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const { name = '' } of entries) times.set(name, (times.get(name) ?? 0) + 1);
  return times;
}
