import { compareTexts } from '@atoll/kube';
import type { Instant } from '@atoll/kube';
import type { Cause, CauseWord } from './cause.ts';
import { since } from './found-pod.ts';
import { readable } from './readable.ts';

/** What the catalogue reads of an event (events.k8s.io/v1). */
export interface FoundEvent {
  readonly type?: string;
  readonly reason?: string;
  readonly note?: string;
  /** The pod or the workload that it is about. */
  readonly regarding?: { readonly uid?: string };
  readonly eventTime?: string | null;
  readonly deprecatedLastTimestamp?: string | null;
  readonly series?: { readonly lastObservedTime?: string };
}

/** The events of kubelets and of the volume controller that name why a pod does not start. */
const startWords: Readonly<Record<string, CauseWord>> = {
  FailedMount: 'FailedMount',
  FailedAttachVolume: 'FailedMount',
  FailedMapVolume: 'FailedMount',
  FailedCreatePodSandBox: 'FailedCreatePodSandBox',
  NetworkNotReady: 'FailedCreatePodSandBox',
};

/** Kubelets repeat what still fails within this time, in milliseconds. */
const repeatedWithinMs = 150_000;

/** A cause that the pod's status does not explain, with what the pod's events add to it. */
export function explainedByEvents(cause: Cause, events: readonly FoundEvent[]): Cause {
  const { seeEvents: _asked, ...known } = cause;
  const withNote = (note: string | undefined, word: CauseWord = cause.word): Cause =>
    note === undefined ? known : { ...known, word, text: `${known.text}: ${readable(note)}` };
  if (cause.word === 'ImagePullBackOff') {
    const note = latest(events, (event) => isNoted(event, 'Failed to pull image'))?.note;
    return withNote(note?.replace(/^Failed to pull image "[^"]*": /, ''));
  }
  if (cause.word === 'ContainersNotReady') {
    return withNote(latest(events, ({ reason }) => reason === 'Unhealthy')?.note, 'ProbeFailed');
  }
  if (cause.word === 'CrashLoopBackOff') {
    const isKilled = (event: FoundEvent): boolean =>
      event.reason === 'Unhealthy' && !isNoted(event, 'Readiness');
    return withNote(latest(events, isKilled)?.note);
  }
  const event = latest(events, ({ reason = '' }) => startWords[reason] !== undefined);
  const word = startWords[event?.reason ?? ''];
  if (event === undefined || word === undefined) return known;
  return { word, text: `cannot be started: ${readable(event.note ?? '')}` };
}

function isNoted({ note = '' }: FoundEvent, beginning: string): boolean {
  return note.startsWith(beginning);
}

export function lastSeen({ series, eventTime, deprecatedLastTimestamp }: FoundEvent): Instant {
  return since(series?.lastObservedTime ?? deprecatedLastTimestamp ?? eventTime);
}

/**
 * Of the warnings that are meant one that is repeated now. Of several that are repeated by turns, as for two volumes, always the
 * same; last the one by which a kubelet sums the others up.
 */
function latest(
  events: readonly FoundEvent[],
  isMeant: (event: FoundEvent) => boolean,
): FoundEvent | undefined {
  const meant = events.filter((event) => event.type === 'Warning' && isMeant(event));
  const newest = Math.max(0, ...meant.map(lastSeen));
  const rank = ({ note = '' }: FoundEvent): string => `${note.startsWith('Unable to attach') ? 1 : 0}${note}`;
  const [first] = meant
    .filter((event) => lastSeen(event) >= newest - repeatedWithinMs)
    .sort((a, b) => compareTexts(rank(a), rank(b)));
  return first;
}
