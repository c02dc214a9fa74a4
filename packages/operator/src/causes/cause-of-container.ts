import type { Instant } from '@atoll/kube';
import type { Cause, CauseWord } from './cause.ts';
import type { FoundContainer, FoundContainerSpec, FoundPod } from './found-pod.ts';
import { since, youngMs } from './found-pod.ts';
import { readable } from './readable.ts';

/** The kubelet's reasons for a container that waits, besides those of a start that goes on as it should. */
export const waitingWords: Readonly<Record<string, CauseWord>> = {
  ErrImagePull: 'ImagePullBackOff',
  ImagePullBackOff: 'ImagePullBackOff',
  ErrImageNeverPull: 'ImagePullBackOff',
  ImageInspectError: 'ImagePullBackOff',
  InvalidImageName: 'ImagePullBackOff',
  RegistryUnavailable: 'ImagePullBackOff',
  SignatureValidationFailed: 'ImagePullBackOff',
  CrashLoopBackOff: 'CrashLoopBackOff',
  CreateContainerConfigError: 'CreateContainerConfigError',
  CreateContainerError: 'CreateContainerError',
  RunContainerError: 'CreateContainerError',
  PreCreateHookError: 'CreateContainerError',
  PreStartHookError: 'CreateContainerError',
  PostStartHookError: 'CreateContainerError',
  StartError: 'CreateContainerError',
  ContainerStatusUnknown: 'CreateContainerError',
};

const forgottenAfterMs = 600_000;

/** Why a container is not ready; undefined: it is, or its status gives no reason. */
export function causeOfContainer(pod: FoundPod, status: FoundContainer, now: Instant): Cause | undefined {
  const { name, state = {} } = status;
  if (status.ready === true) return undefined;
  const reason = state.waiting?.reason ?? '';
  const word = waitingWords[reason];
  if (word === 'ImagePullBackOff') return notPulled(pod, status);
  if (word === 'CrashLoopBackOff' || hasCrashed(status, now)) return crashing(pod, status);
  if (word !== undefined) {
    const why = readable(state.waiting?.message ?? '') || reason;
    const what = word === 'CreateContainerConfigError' ? 'cannot be configured' : 'cannot be started';
    return { word, text: `container ${name} ${what}: ${why}` };
  }
  if (state.running === undefined || now - since(state.running.startedAt) < youngMs) return undefined;
  return { word: 'ContainersNotReady', text: `container ${name} runs and is not ready`, seeEvents: true };
}

/** Kubelets report by turns why the last try failed, and that they wait for the next: both become the same text. */
function notPulled(pod: FoundPod, { name, image, state }: FoundContainer): Cause {
  const wanted = specOf(pod, name)?.image ?? image ?? '';
  const message = (state?.waiting?.message ?? '').replace(/^Back-off pulling image "[^"]*"(: )?(\w+: )?/, '');
  const why = readable(message);
  const text = `container ${name} cannot pull its image${why.includes(wanted) ? '' : ` ${wanted}`}`;
  if (why !== '') return { word: 'ImagePullBackOff', text: `${text}: ${why}` };
  // Up to Kubernetes 1.30 the reason is lost while the kubelet waits.
  return { word: 'ImagePullBackOff', text, seeEvents: true };
}

/**
 * A container that fails again and again is not always found waiting: it runs for a moment, or has just ended. One that was
 * restarted after a failure counts until it has run for ten minutes, when kubelets forget their back-off, so that the cause stays
 * the same meanwhile.
 */
function hasCrashed({ restartCount = 0, state = {}, lastState = {} }: FoundContainer, now: Instant): boolean {
  if (state.terminated !== undefined) return state.terminated.exitCode !== 0;
  if (state.running === undefined || restartCount === 0) return false;
  const { exitCode = 0 } = lastState.terminated ?? {};
  return exitCode !== 0 && now - since(state.running.startedAt) < forgottenAfterMs;
}

function crashing(pod: FoundPod, { name, state, lastState, restartCount = 0 }: FoundContainer): Cause {
  const { exitCode, reason, message } = state?.terminated ?? lastState?.terminated ?? {};
  const ends = exitCode === undefined ? 'ends again and again' : `ends with exit code ${exitCode}`;
  const why = reason === undefined || reason === 'Error' || reason === 'Completed' ? '' : ` (${reason})`;
  const last = readable(message ?? '');
  const { livenessProbe, startupProbe } = specOf(pod, name) ?? {};
  const isProbed = livenessProbe !== undefined || startupProbe !== undefined;
  return {
    word: 'CrashLoopBackOff',
    text: `container ${name} ${ends}${why}${last === '' ? '' : `: ${last}`}`,
    restarts: restartCount,
    ...(isProbed ? { seeEvents: true } : {}),
  };
}

function specOf({ spec = {} }: FoundPod, name: string): FoundContainerSpec | undefined {
  return [...(spec.initContainers ?? []), ...(spec.containers ?? [])].find((each) => each.name === name);
}
