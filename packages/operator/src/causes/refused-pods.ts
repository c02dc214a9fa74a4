import type { Cause } from './cause.ts';
import { lastSeen, type FoundEvent } from './explained-by-events.ts';
import { since, type FoundPod } from './found-pod.ts';
import { readable } from './readable.ts';
import { nameAFew } from '../engine/status/conditions.ts';

/** What the catalogue reads of a condition of a workload. */
export interface FoundWorkloadCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

/** The conditions by which controllers call something a failure of their own: Deployments and ReplicaSets one, CloneSets two. */
export const failureTypes: readonly string[] = ['ReplicaFailure', 'FailedScale', 'FailedUpdate'];

/** Why a workload's controller cannot create its pods, by its conditions; undefined: they do not show it. */
export function refusedByConditions(conditions: readonly FoundWorkloadCondition[]): Cause | undefined {
  const failure = conditions.find(({ type, status }) => failureTypes.includes(type) && status === 'True');
  return failure === undefined ? undefined : refusal(failure.message ?? failure.reason ?? '');
}

/**
 * The same for controllers that only record events, as those of StatefulSets and DaemonSets. An event stays for an hour: one that
 * was last seen before a pod was created is about a refusal that has ended.
 */
export function refusedByEvents(events: readonly FoundEvent[], pods: readonly FoundPod[]): Cause | undefined {
  const created = Math.max(0, ...pods.map(({ metadata }) => since(metadata.creationTimestamp)));
  const refusals = events
    .filter(({ type, reason }) => type === 'Warning' && reason === 'FailedCreate')
    .filter((event) => lastSeen(event) > created)
    .sort((a, b) => lastSeen(b) - lastSeen(a));
  return refusals[0] === undefined ? undefined : refusal(refusals[0].note ?? '');
}

function refusal(message: string): Cause {
  const word = wordOf(message);
  // `create Pod web-0 in StatefulSet web failed error: …`, `Error creating: …`; before the eleventh that is alike client-go puts words.
  const reported = message
    .replace(/^\(combined from similar events\): /, '')
    .replace(/^.*? failed error: |^Error creating: /, '');
  const why = word === 'PodSecurityViolation' ? violation(reported) : readable(reported);
  return { word, text: `pods cannot be created: ${why === '' ? 'no reason was given' : why}` };
}

/**
 * `violates PodSecurity "restricted:latest": runAsNonRoot != true (pod or container "app" must set …), …`: every check that
 * fails, without the containers, which make it longer than a condition can hold.
 */
function violation(message: string): string {
  const [, policy = '', listed = ''] = /violates PodSecurity ("[^"]*"): (.*)$/s.exec(message) ?? [];
  const checks = listed
    .replaceAll(/\s*\([^()]*\)/g, '')
    .split(', ')
    .map((check) => readable(check))
    .filter((check) => check !== '');
  if (checks.length === 0) return readable(message);
  return `they violate PodSecurity ${policy}: ${nameAFew(checks, 5)}`;
}

/** Both plugins of the API server answer 403, and differ by their words only. */
function wordOf(message: string): 'QuotaExceeded' | 'PodSecurityViolation' | 'FailedCreate' {
  if (message.includes('exceeded quota')) return 'QuotaExceeded';
  return message.includes('violates PodSecurity') ? 'PodSecurityViolation' : 'FailedCreate';
}
