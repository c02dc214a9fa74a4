import { pods as podResource } from '@atoll/kube';
import type { Instant, Pod, Stored } from '@atoll/kube';
import { stuckPodStep, type StuckPodStep } from '../children/pods/stuck-pod-step.ts';
import { poolPlaces } from './child.ts';
import type { PoolDecision } from './decision.ts';

/** Frees a pool's StatefulSet of the one broken pod that it waits for, and says when to look again. */
export function stuckPoolPodStep(
  { place: pool, child, health }: PoolDecision,
  pods: readonly Stored<Pod>[],
  now: Instant,
): StuckPodStep {
  if (child === undefined) return {};
  const place = `pool ${pool.name}`;
  const { eventReason } = poolPlaces;
  return stuckPodStep(
    { ...child, health, pods, resource: podResource, target: pool.name, place, eventReason },
    now,
  );
}
