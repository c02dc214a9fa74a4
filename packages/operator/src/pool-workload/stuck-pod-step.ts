import type { Instant, KubeObject, Pod, Resource, Stored } from '@atoll/kube';
import { statefulPods } from '../caches.ts';
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
  const resource = statefulPods as Resource<KubeObject>;
  const place = `pool ${pool.name}`;
  const { eventReason } = poolPlaces;
  return stuckPodStep({ ...child, health, pods, resource, target: pool.name, place, eventReason }, now);
}
