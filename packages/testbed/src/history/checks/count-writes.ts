import { writesOf } from '../history.ts';
import type { History, Write } from '../history.ts';
import { objectOf } from './describe-write.ts';

/** Which writes count. Default: all. */
export interface WriteFilter {
  readonly user?: string;
  readonly resources?: readonly string[];
  /** Resources that do not count: leases and events, mostly. */
  readonly except?: readonly string[];
  /** Completed at or after this time (milliseconds since the epoch). */
  readonly since?: number;
}

/** How many writes there were, in all and by what they have in common. */
export interface WriteCounts {
  readonly total: number;
  /** By user. */
  readonly byUser: ReadonlyMap<string, number>;
  /** By `resource namespace/name`; subresources count with their object. */
  readonly byObject: ReadonlyMap<string, number>;
  /** By `verb resource`. */
  readonly byVerb: ReadonlyMap<string, number>;
}

/** Does the filter take this write? Dry runs are no writes. */
export function concernsWrite(
  { user, resources, except, since }: WriteFilter,
  { audit, result }: Write,
): boolean {
  return (
    result !== 'dry-run' &&
    (user === undefined || audit.user === user) &&
    (resources === undefined || resources.includes(audit.resource)) &&
    !(except?.includes(audit.resource) ?? false) &&
    audit.at >= (since ?? -Infinity)
  );
}

/** Counts requests that were to change something, refused ones included. */
export function countWrites(history: History, filter: WriteFilter = {}): WriteCounts {
  const byUser = new Map<string, number>();
  const byObject = new Map<string, number>();
  const byVerb = new Map<string, number>();
  const writes = writesOf(history).filter((write) => concernsWrite(filter, write));
  for (const { audit } of writes) {
    add(byUser, audit.user);
    add(byObject, `${audit.resource} ${objectOf(audit)}`);
    add(byVerb, `${audit.verb} ${audit.resource}`);
  }
  return { total: writes.length, byUser, byObject, byVerb };
}

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
