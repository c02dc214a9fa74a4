import type { Instant, KubeObject, Stored } from '@atoll/kube';
import type { AuditEntry } from './audit-entry.ts';
import type { Change } from './object-changes.ts';
import type { RecordedEvent, RecordingGap } from './recorded-event.ts';

/**
 * What a write did, as the recorder saw it.
 *
 * - `changed`: it caused the events in `effects`.
 * - `unchanged`: it succeeded and nothing differs.
 * - `refused`: the API server refused it.
 * - `dry-run`: nothing was meant to change.
 * - `unseen`: it succeeded on something that was not recorded.
 */
export type WriteResult = 'changed' | 'unchanged' | 'refused' | 'dry-run' | 'unseen';

/** An event with what was there before it. */
export interface Effect {
  readonly event: RecordedEvent;
  readonly before: Stored<KubeObject> | undefined;
  readonly changes: readonly Change[];
}

/** One request that was to change something, and what it changed. */
export interface Write {
  readonly kind: 'write';
  readonly at: Instant;
  readonly audit: AuditEntry;
  readonly result: WriteResult;
  readonly effects: readonly Effect[];
}

/** A change that no audited write explains (its writer's audit entry has no response, or it has none at all). */
export interface UnexplainedChange {
  readonly kind: 'unexplained';
  readonly at: Instant;
  readonly effect: Effect;
}

/** A write, or a change that no recorded write explains. */
export type HistoryEntry = Write | UnexplainedChange;

/** Every write, in the order of etcd's revisions as far as it is known, and every change that was seen. */
export interface History {
  readonly entries: readonly HistoryEntry[];
  /** All recorded events by version, what existed at the start included. */
  readonly events: readonly RecordedEvent[];
  /** Where this is not empty, the history proves nothing. */
  readonly gaps: readonly RecordingGap[];
}

/** The writes of a history, without changes that no write explains. */
export function writesOf(history: History): readonly Write[] {
  return history.entries.filter((entry) => entry.kind === 'write');
}
