import { annotations } from '@atoll/api';
import type { RevisionDecision } from '../children/revisions/revision.ts';
import { hold, type Hold } from '../engine/hold.ts';

/** What the message of `Ready` says of it when nothing is left to do. */
export function noteOfOldDefaults({ keepsOldDefaults }: RevisionDecision): string {
  return keepsOldDefaults === true ? '; containers without imagePullPolicy keep Always' : '';
}

/** Nothing waits for it. `field`: the field of the template. */
export function holdsOfOldDefaults({ keepsOldDefaults }: RevisionDecision, field: string): readonly Hold[] {
  if (keepsOldDefaults !== true) return [];
  const problem = `containers of ${field} without imagePullPolicy keep Always, which the webhook of the old operator had filled in, so that no pod restarts`;
  const waitingUntil = `the template changes in anything else, or the annotation ${annotations.applyTemplate}: "true" on this object applies it`;
  return [hold('OldRenderingKept', 'person', [], { problem, waitingUntil }, false)];
}
