import type { ReasonWord } from '@atoll/api';

/**
 * The words of the catalogue for what keeps a pod from becoming ready, or from being created. `broken`: it seldom ends without a
 * change of the template or of the cluster. `slow`: a start that takes its time, a new node, or a node that comes back ends it.
 */
const severities = {
  ImagePullBackOff: 'broken',
  CrashLoopBackOff: 'broken',
  CreateContainerConfigError: 'broken',
  CreateContainerError: 'broken',
  FailedMount: 'broken',
  QuotaExceeded: 'broken',
  PodSecurityViolation: 'broken',
  FailedCreate: 'broken',
  PodNotSeen: 'broken',
  PodsUnschedulable: 'slow',
  SchedulingGated: 'slow',
  FailedCreatePodSandBox: 'slow',
  ContainerCreating: 'slow',
  PodInitializing: 'slow',
  ProbeFailed: 'slow',
  ContainersNotReady: 'slow',
  ReadinessGatesNotReady: 'slow',
  NodeNotReady: 'slow',
  PodTerminating: 'slow',
  PodFailed: 'slow',
} as const satisfies Partial<Record<ReasonWord, 'broken' | 'slow'>>;

export type CauseWord = keyof typeof severities;

/** Why one pod is not ready. */
export interface Cause {
  readonly word: CauseWord;
  /** A clause without its subject, which is the pod: `container app cannot pull its image: …`. Equal for equal causes. */
  readonly text: string;
  /** How often the container was restarted; not part of the text, because it grows. */
  readonly restarts?: number;
  /** The status of the pod does not show the reason; its events may. */
  readonly seeEvents?: true;
}

/** Whether something is wrong, as opposed to not done yet. */
export function isBroken(word: CauseWord): boolean {
  return severities[word] === 'broken';
}

export function isCauseWord(word: ReasonWord): word is CauseWord {
  return Object.hasOwn(severities, word);
}
