import { revisionLabel } from '../../src/children/names.ts';
import type { PolicyOf } from '../../src/engine/rollout/rollout-policy.ts';
import type { HoldRule } from '../../src/engine/rollout/target-hold.ts';
import type { KubeObject } from '@atoll/kube';

/** Names the places that may be changed, with commas. */
export const releaseAnnotation = 'example.test/released';

export function releasedIn({ metadata }: KubeObject): readonly string[] {
  return (metadata.annotations?.[releaseAnnotation] ?? '').split(',').filter((name) => name !== '');
}

/** The annotation that also names one place more. */
export function releasing(object: KubeObject, place: string): string {
  return [...releasedIn(object), place].join(',');
}

interface Owner extends KubeObject {
  readonly status?: { readonly currentRevision?: string };
}

/**
 * A policy for tests: only the places that the annotation names may be changed, and what joins meanwhile gets the revision that
 * was complete last.
 */
export const releasePolicy: PolicyOf<Owner> = (object, newest) => {
  const released = releasedIn(object);
  const holds: HoldRule = ({ id }) =>
    released.includes(id)
      ? undefined
      : {
          reason: 'Paused',
          waitsFor: 'person',
          waitingUntil: `the annotation ${releaseAnnotation} names it`,
        };
  const { currentRevision = '' } = object.status ?? {};
  return {
    unavailable: { value: '100%', base: 'all', rounding: 'up', atLeast: 1 },
    away: { countsForMs: 60_000 },
    order: [],
    holds: [holds],
    revisionWhileHeld: currentRevision === '' ? newest : revisionLabel(currentRevision),
  };
};
