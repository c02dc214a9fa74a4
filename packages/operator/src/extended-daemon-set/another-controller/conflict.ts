import type { ExtendedDaemonSet } from '@atoll/api';
import type { Instant, Stored } from '@atoll/kube';
import { hold, type Hold } from '../../engine/hold.ts';
import { lastForeignWrite, type ForeignWrite } from './foreign-write.ts';

/** What is seen of others. */
export interface ForeignWrites {
  /** Of the replica sets of the object. */
  readonly own: readonly ForeignWrite[];
  /** Of all others, asked only where the object has none. */
  readonly elsewhere: readonly ForeignWrite[];
}

/** The old operator writes the status of each replica set with every `reconcileFrequency`, changed or not. */
export const quietMs = 60_000;

/**
 * A hold where somebody else serves an object, or may: two who do would delete each other's pods. It ends when the sign is too old to mean anything.
 *
 * The old operator has no name by which its workload or its lease could be known for sure, and serves one namespace or all; but what it writes shows
 * that it is at work, and for which objects. Where it is silent for a minute, or for three of its intervals, it is stopped. An object that is new has
 * no sign of its own: it waits for so long where another controller is at work elsewhere. What lies further ahead than that is of a clock that was set
 * back, and would hold the object until it is as late.
 */
export function conflictOf(
  { metadata }: Pick<Stored<ExtendedDaemonSet>, 'metadata'>,
  found: ForeignWrites,
  reconcileEveryMs: number,
  now: Instant,
): Hold | undefined {
  const quiet = Math.max(quietMs, 3 * reconcileEveryMs);
  const [own, elsewhere] = [found.own, found.elsewhere].map((each) => lastForeignWrite(each, now + quiet));
  const time = `${quiet / 1_000} s`;
  if (own !== undefined && now < own.at + quiet) {
    const problem = `another controller, ${own.by}, serves it and wrote the replica set ${own.replicaSet}. Stop that one, or start Atoll with --controllers=-extended-daemon-set`;
    return conflict(problem, `it has written nothing for ${time}`, own.at + quiet);
  }
  const made = Date.parse(metadata.creationTimestamp);
  const isNearby = elsewhere !== undefined && now < elsewhere.at + quiet && now < made + quiet;
  if (!isNearby) return undefined;
  const problem = `another controller, ${elsewhere.by}, is at work in the cluster, and may serve this object too`;
  return conflict(problem, `it has made no replica set for ${time}`, made + quiet);
}

function conflict(problem: string, waitingUntil: string, until: Instant): Hold {
  return { ...hold('ServedByAnotherController', 'person', [], { problem, waitingUntil }, true), until };
}
