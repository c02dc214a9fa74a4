import { isIntOrPercent, scaleIntOrPercent } from '@atoll/kube';
import type { ChildHealth } from './child-health.ts';
import type { OwnedChild } from './child.ts';
import { effectiveMaxUnavailable } from './max-unavailable-in.ts';

/**
 * Why a child deletes no old pod before a new one is ready; undefined: it does, or makes no new ones before. Beside a surge both kinds
 * round a percentage down, so that those that are the default come to nothing for three or four replicas.
 */
export function whyNoOlderPodGoes(
  { kind, object }: OwnedChild,
  { observed, replicas, availableReplicas, updated }: ChildHealth,
): string | undefined {
  const wanted = object.spec?.replicas ?? 1;
  const surges = observed && !updated && replicas > wanted && availableReplicas >= wanted;
  const limit = effectiveMaxUnavailable(kind, object.spec);
  if (!surges || !isIntOrPercent(limit) || scaleIntOrPercent(limit, wanted, 'down') > 0) return undefined;
  return typeof limit === 'number' ? 'maxUnavailable is 0' : `maxUnavailable ${limit} of ${wanted} is 0`;
}

/** What is said of pods that no node takes, and that no older pod makes room for. `room`: what they wait for. */
export function beforeOlderPods(
  why: string,
  problem: string,
  room: string,
): { readonly problem: string; readonly waitingUntil: string } {
  return {
    problem: `no older pod may go first, because ${why}; ${problem}`,
    waitingUntil: `${room}, or maxUnavailable is at least 1`,
  };
}
