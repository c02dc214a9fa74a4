import { kruiseEventReasons } from '@atoll/api';
import { pods as podResource } from '@atoll/kube';
import type { Instant, KubeObject, Resource } from '@atoll/kube';
import { stuckPodStep, type StuckPodStep } from '../../children/pods/stuck-pod-step.ts';
import type { SubsetDecision } from '../decision.ts';
import { isAtWanted } from '../../engine/rollout/target.ts';

/** Frees a subset's StatefulSet, once it has the wanted template, of the one broken pod that it waits for. */
export function stuckSubsetPodStep(decision: SubsetDecision, now: Instant): StuckPodStep {
  const { child, health, pods, place: subset, target } = decision;
  if (child === undefined || !isAtWanted(target)) return {};
  const resource = podResource as Resource<KubeObject>;
  const place = `subset ${subset.name}`;
  const eventReason = kruiseEventReasons.failedUpdateSubset;
  return stuckPodStep({ ...child, health, pods, resource, target: subset.name, place, eventReason }, now);
}
