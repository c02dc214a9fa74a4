import { conditionOf, isReady, type Instant } from '@atoll/kube';
import { causeOfContainer } from './cause-of-container.ts';
import type { Cause } from './cause.ts';
import { since, youngMs, type FoundPod } from './found-pod.ts';
import { readable } from './readable.ts';
import { schedulerCause } from './scheduler-cause.ts';

/** A pod that should be gone counts as stuck only this long, in milliseconds, after its grace period. */
const overdueMs = 30_000;

/**
 * Why a pod is not ready, as far as its own status shows; undefined: it is ready, has completed, or is just being started or
 * ended. What a scheduler or a kubelet names is taken at once; what is only slow counts after 15 seconds.
 */
export function causeOf(pod: FoundPod, now: Instant): Cause | undefined {
  const { metadata, spec = {}, status = {} } = pod;
  if (metadata.deletionTimestamp !== undefined) return terminating(pod, now);
  if (status.phase === 'Succeeded') return undefined;
  if (status.phase === 'Failed') return failed(status);
  if (isReady(pod)) return undefined;
  if ((spec.nodeName ?? '') === '') return unscheduled(pod, now);
  const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  const found = containers
    .map((container) => causeOfContainer(pod, container, now))
    .filter((cause) => cause !== undefined);
  const named = found.find(({ word }) => word !== 'ContainersNotReady');
  if (named !== undefined) return named;
  return initializing(pod, now) ?? found[0] ?? unreported(pod, now) ?? starting(pod, now);
}

/** From when on a pod that is being deleted counts as stuck. */
export function overdueAt({ metadata }: Pick<FoundPod, 'metadata'>): Instant {
  return since(metadata.deletionTimestamp) + overdueMs;
}

function terminating({ metadata, spec }: FoundPod, now: Instant): Cause | undefined {
  const { finalizers = [] } = metadata;
  if (now < overdueAt({ metadata })) return undefined;
  const held =
    finalizers.length > 0
      ? `the finalizers ${finalizers.slice(0, 3).join(', ')} are still there`
      : `the kubelet of node ${spec?.nodeName ?? '(none)'} has not confirmed that it ended`;
  return { word: 'PodTerminating', text: `should be gone, but ${held}` };
}

function failed({ reason, message }: NonNullable<FoundPod['status']>): Cause {
  const why = readable(message ?? '');
  return { word: 'PodFailed', text: `failed (${reason ?? 'Error'})${why === '' ? '' : `: ${why}`}` };
}

function unscheduled(pod: FoundPod, now: Instant): Cause | undefined {
  const { spec = {}, metadata } = pod;
  const cause = schedulerCause(pod);
  if (cause !== undefined) return cause;
  if (now - since(metadata.creationTimestamp) < youngMs) return undefined;
  const scheduler = spec.schedulerName ?? 'default-scheduler';
  return { word: 'PodsUnschedulable', text: `the scheduler ${scheduler} has not tried to place it` };
}

/** An init container that has not ended keeps all others from starting. */
function initializing({ status = {} }: FoundPod, now: Instant): Cause | undefined {
  if (!(status.containerStatuses ?? []).some(({ state }) => state?.waiting?.reason === 'PodInitializing')) {
    return undefined;
  }
  const running = (status.initContainerStatuses ?? []).find(
    ({ state, ready }) => ready !== true && state?.running !== undefined,
  );
  if (running === undefined || now - since(running.state?.running?.startedAt) < youngMs) return undefined;
  return { word: 'PodInitializing', text: `init container ${running.name} has not completed` };
}

/** All containers are ready, and the pod is not: its gates, or a node that does not report any more. */
function unreported(pod: FoundPod, now: Instant): Cause | undefined {
  const { spec = {}, status = {} } = pod;
  const ready = conditionOf(pod, 'Ready');
  if (ready === undefined || now - since(ready.lastTransitionTime) < youngMs) return undefined;
  const containers = status.containerStatuses ?? [];
  if (containers.length === 0 || !containers.every((each) => each.ready === true)) return undefined;
  const gates = (spec.readinessGates ?? [])
    .map(({ conditionType }) => conditionType)
    .filter((type) => conditionOf(pod, type)?.status !== 'True');
  if (gates.length > 0) {
    return {
      word: 'ReadinessGatesNotReady',
      text: `waits for its readiness gates: ${gates.slice(0, 3).join(', ')}`,
    };
  }
  return {
    word: 'NodeNotReady',
    text: 'the node has stopped reporting; the containers were ready before that',
  };
}

/** A node was found and no container runs yet: volumes, network, images, or a kubelet that is away. */
function starting(pod: FoundPod, now: Instant): Cause | undefined {
  const { spec = {}, metadata, status = {} } = pod;
  if ((status.containerStatuses ?? []).some(({ state }) => state?.running !== undefined)) return undefined;
  const placed = since(conditionOf(pod, 'PodScheduled')?.lastTransitionTime ?? metadata.creationTimestamp);
  if (now - placed < youngMs) return undefined;
  return {
    word: 'ContainerCreating',
    text: `the kubelet of node ${spec.nodeName ?? ''} has not started it`,
    seeEvents: true,
  };
}
