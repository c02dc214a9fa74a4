import type { ReasonWord } from '@atoll/api';

/** The words of the catalogue for what keeps a pod from becoming ready, or from being created. */
export type CauseWord = Extract<
  ReasonWord,
  | 'ImagePullBackOff'
  | 'CrashLoopBackOff'
  | 'CreateContainerConfigError'
  | 'CreateContainerError'
  | 'PodsUnschedulable'
  | 'SchedulingGated'
  | 'FailedMount'
  | 'FailedCreatePodSandBox'
  | 'ContainerCreating'
  | 'PodInitializing'
  | 'ProbeFailed'
  | 'ContainersNotReady'
  | 'ReadinessGatesNotReady'
  | 'NodeNotReady'
  | 'PodTerminating'
  | 'PodFailed'
  | 'QuotaExceeded'
  | 'FailedCreate'
>;

/** Why one pod is not ready. */
export interface Cause {
  readonly word: CauseWord;
  /** A clause without its subject, which is the pod: `container app cannot pull its image: …`. Equal for equal causes. */
  readonly says: string;
  /** How often the container was restarted; not part of what the cause says, because it grows. */
  readonly restarts?: number;
  /** The status of the pod does not tell the reason; its events may. */
  readonly seeEvents?: true;
}

/**
 * Causes that seldom end without a change of the template or of the cluster, as opposed to those that a slow start, a new node
 * or a node that comes back ends.
 */
const broken: ReadonlySet<CauseWord> = new Set<CauseWord>([
  'ImagePullBackOff',
  'CrashLoopBackOff',
  'CreateContainerConfigError',
  'CreateContainerError',
  'FailedMount',
  'QuotaExceeded',
  'FailedCreate',
]);

/** Whether something is wrong, as opposed to not done yet. */
export function isBroken(word: CauseWord): boolean {
  return broken.has(word);
}
