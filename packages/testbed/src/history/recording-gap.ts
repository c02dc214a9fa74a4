import type { KubeObject } from '@atoll/kube';
import type { HistoryEntry, Write } from './history.ts';
import type { RecordingGap } from './recorded-event.ts';

/**
 * Does the audit log prove that nothing was missed? It does where every write that it names within the gap is
 * found, version for version, in the list that ended the gap, and that list shows nothing else. A deletion keeps
 * the gap open: a list shows that something went, but not before or after what.
 */
export function isClosed(gap: RecordingGap, entries: readonly HistoryEntry[]): boolean {
  const { until } = gap;
  if (until === undefined) return false;
  return entries.every((entry) => {
    if (entry.kind === 'unexplained') {
      const { resource, relisted, version } = entry.effect.event;
      return resource !== gap.resource || !relisted || version > until.version;
    }
    if (!concerns(gap, entry)) return true;
    const found = entry.effects.every(({ event }) => !event.relisted || event.type !== 'DELETED');
    return found && !(entry.result === 'unseen' && isWithin(gap, until, entry));
  });
}

function concerns(gap: RecordingGap, { audit }: Write): boolean {
  return (
    audit.resource === gap.resource && (gap.namespace === undefined || audit.namespace === gap.namespace)
  );
}

/** By version where the answer has one, else by time. */
function isWithin(gap: RecordingGap, until: NonNullable<RecordingGap['until']>, { audit }: Write): boolean {
  const { resourceVersion } = (audit.response as Partial<KubeObject> | undefined)?.metadata ?? {};
  if (resourceVersion === undefined) return audit.at >= gap.since && audit.receivedAt <= until.at;
  const version = Number(resourceVersion);
  return version > gap.afterVersion && version <= until.version;
}
