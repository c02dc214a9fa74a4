import { isIntOrPercent, scaleIntOrPercent } from '@atoll/kube';
import type { ChildHealth } from './child-health.ts';
import type { OwnedChild } from './child.ts';
import { defaultMaxUnavailable, maxUnavailableIn } from './max-unavailable-in.ts';

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
  const limit = maxUnavailableIn(kind, object.spec) ?? defaultMaxUnavailable[kind];
  if (!surges || !isIntOrPercent(limit) || scaleIntOrPercent(limit, wanted, 'down') > 0) return undefined;
  return typeof limit === 'number' ? 'maxUnavailable is 0' : `maxUnavailable ${limit} of ${wanted} is 0`;
}
