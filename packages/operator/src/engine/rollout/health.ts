import {
  conditionOf,
  instantOf,
  type ContainerStatus,
  type Instant,
  type Pod,
  type Stored,
} from '@atoll/kube';
import { waitingWords } from '../../causes/cause-of-container.ts';
import type { Health } from './target.ts';

/** What of a pod is read; a cache may keep no more than this. */
export interface SeenPod {
  readonly metadata: Pick<Stored<Pod>['metadata'], 'creationTimestamp' | 'deletionTimestamp'>;
  readonly status?: Pick<
    NonNullable<Pod['status']>,
    | 'phase'
    | 'startTime'
    | 'conditions'
    | 'containerStatuses'
    | 'initContainerStatuses'
    | 'ephemeralContainerStatuses'
  >;
}

/** A container that its kubelet cannot start, or that fails again and again. */
export interface BlockedContainer {
  readonly container: string;
  /** The kubelet's own word: `ImagePullBackOff`, `CrashLoopBackOff`. */
  readonly reason: string;
  readonly message?: string;
}

export interface PodHealth {
  readonly health: Health;
  /** The first container that is blocked, in the order in which they start. */
  readonly blocked?: BlockedContainer;
  /** When it becomes healthy by time alone, because `minReadySeconds` are over. */
  readonly healthyAt?: Instant;
}

export interface HealthRule {
  readonly now: Instant;
  readonly minReadySeconds?: number;
  /** Since when the pod's node is away; undefined: it is not. */
  readonly awaySince?: Instant;
}

/** A node that goes away so soon, in milliseconds, after its pod was made may have gone because of it. */
const suspectForMs = 10 * 60_000;

/**
 * `healthy`: Ready for `minReadySeconds`. `broken`: a container is blocked. `gone`: being deleted, or ended. `starting`:
 * anything else.
 *
 * Once its node is away a pod is not Ready, because the node lifecycle controller writes so. It counts as it was before: a pod
 * that was Ready until its node went away was healthy, where `minReadySeconds` does not leave that open. One that was made shortly before may
 * be why the node went: it is not known to be healthy, so that a template which takes its nodes down is slowed like one that is never Ready.
 */
export function healthOfPod(pod: SeenPod, { now, minReadySeconds = 0, awaySince }: HealthRule): PodHealth {
  const { phase } = pod.status ?? {};
  if (pod.metadata.deletionTimestamp !== undefined || phase === 'Succeeded' || phase === 'Failed') {
    return { health: 'gone' };
  }
  const ready = conditionOf(pod, 'Ready');
  const since = instantOf(ready?.lastTransitionTime) ?? 0;
  if (ready?.status === 'True') {
    // A kubelet's clock may be ahead: without minReadySeconds no time is asked. It may be behind: no pod was Ready before it was made.
    const readySince = Math.max(since, instantOf(pod.metadata.creationTimestamp) ?? 0);
    const healthyAt = minReadySeconds <= 0 ? now : readySince + 1000 * minReadySeconds;
    return healthyAt <= now ? { health: 'healthy' } : { health: 'starting', healthyAt };
  }
  if (awaySince !== undefined && minReadySeconds <= 0 && wasReadyUntil(pod, since, awaySince)) {
    const made = instantOf(pod.metadata.creationTimestamp) ?? 0;
    return { health: made + suspectForMs > awaySince ? 'starting' : 'healthy' };
  }
  const blocked = blockedContainer(pod);
  return blocked === undefined ? { health: 'starting' } : { health: 'broken', blocked };
}

/** The first container that its kubelet cannot start, or that fails again and again; undefined: there is none. */
function blockedContainer(pod: SeenPod): BlockedContainer | undefined {
  const status = containerStatusesOf(pod).find(isBlocked);
  if (status === undefined) return undefined;
  const { reason = '', message } = status.state?.waiting ?? {};
  return { container: status.name, reason, ...(message === undefined ? {} : { message }) };
}

/**
 * The kubelet writes `startTime` together with the first Ready condition, so a later transition to False was one from True.
 */
function wasReadyUntil({ status }: SeenPod, unreadySince: Instant, awaySince: Instant): boolean {
  const started = instantOf(status?.startTime);
  return started !== undefined && started < awaySince && unreadySince >= awaySince;
}

function isBlocked({ state }: ContainerStatus): boolean {
  const reason = state?.waiting?.reason;
  return reason !== undefined && Object.hasOwn(waitingWords, reason);
}

/** Init containers first, then the others in their order. */
export function containerStatusesOf({ status }: SeenPod): readonly ContainerStatus[] {
  return [
    ...(status?.initContainerStatuses ?? []),
    ...(status?.containerStatuses ?? []),
    ...(status?.ephemeralContainerStatuses ?? []),
  ];
}
