import type { Instant, Pod, Stored } from '@atoll/kube';
import { causeOf } from '../causes/cause-of.ts';
import { isBroken, isCauseWord } from '../causes/cause.ts';
import type { Finding } from '../causes/finding.ts';
import { refusedByConditions } from '../causes/refused-pods.ts';
import { hold, type Hold } from '../engine/hold.ts';
import type { OwnedChild } from './child.ts';

/**
 * A child that waits for nothing but its pods: for the cause that its controller names or that was found in its pods, or as is
 * otherwise known. A cause alone does not stall the object: pods may still recover until their controller gives up.
 */
export function podsHold({ object }: OwnedChild, finding: Finding | undefined, otherwise: Hold): Hold {
  const refused = refusedByConditions(object.status?.conditions ?? []);
  return causeHold(
    refused === undefined ? finding : { word: refused.word, message: refused.text },
    otherwise,
  );
}

/** What waits for pods, for the cause that was found in them, or as is otherwise known. */
export function causeHold(cause: Pick<Finding, 'word' | 'message'> | undefined, otherwise: Hold): Hold {
  if (cause === undefined) return otherwise;
  const { word, message } = cause;
  const waitsFor = word === 'PodsUnschedulable' ? 'nodes' : word === 'QuotaExceeded' ? 'quota' : 'health';
  const bad = otherwise.bad || isBroken(word);
  const held = hold(word, waitsFor, otherwise.targets, { problem: message }, bad);
  return bad && !otherwise.bad ? { ...held, mayPass: true } : held;
}

/** What waits for one pod that was made or deleted, for the cause that it shows itself; undefined: it shows none. */
export function stuckPodHold(pod: Stored<Pod>, otherwise: Hold, now: Instant): Hold | undefined {
  const cause = causeOf(pod, now);
  if (cause === undefined) return undefined;
  return causeHold({ word: cause.word, message: `pod ${pod.metadata.name}: ${cause.text}` }, otherwise);
}

/** Whether a hold is about the pods of a child, so that it is worth to look at them. */
export function isAboutPods({ reason }: Hold): boolean {
  return reason === 'WaitingForReady' || reason === 'ProgressDeadlineExceeded' || isCauseWord(reason);
}

/** What is wrong first, then causes that are known, those of most children first, then what only waits. */
export function mostUrgentFirst(holds: readonly Hold[]): readonly Hold[] {
  const rank = ({ bad, reason }: Hold): number => (bad ? 0 : isCauseWord(reason) ? 1 : 2);
  const common = ({ reason, count }: Hold): number => (isCauseWord(reason) ? count : 0);
  return [...holds].sort((a, b) => rank(a) - rank(b) || common(b) - common(a));
}
