import { canaryReasons, cannotStartReasons } from '@atoll/api';
import type { Instant, Pod, Stored } from '@atoll/kube';
import { containerStatusesOf } from '../../../engine/rollout/health.ts';

const startProblems: ReadonlySet<string> = new Set(cannotStartReasons);

export interface CannotStart {
  readonly reason: string;
  /** `Pod <pod> cannot start with reason: <reason>` first, as the old operator writes it. */
  readonly message: string;
}

/** Why a pod cannot start; undefined: nothing is known to be in its way, or it is given time. */
export function cannotStart(
  pod: Stored<Pod>,
  graceMs: number | undefined,
  now: Instant,
): CannotStart | undefined {
  const isPatient = graceMs !== undefined && now <= startedAt(pod) + graceMs;
  if (isPatient) return undefined;
  const waiting = containerStatusesOf(pod).flatMap(({ name, state }) =>
    state?.waiting === undefined ? [] : [{ name, ...state.waiting }],
  );
  const found = waiting.find(({ reason = '' }) => startProblems.has(reason));
  if (found !== undefined) return described(pod, found.reason ?? '', found.name, found.message);
  const slow =
    graceMs === undefined ? undefined : waiting.find(({ reason }) => reason === 'ContainerCreating');
  return slow === undefined
    ? undefined
    : described(pod, canaryReasons.slowStartTimeout, slow.name, slow.message);
}

function described(pod: Stored<Pod>, reason: string, container: string, detail = ''): CannotStart {
  const where = `node ${pod.spec?.nodeName ?? 'unknown'}, container ${container}`;
  const message = `Pod ${pod.metadata.name} cannot start with reason: ${reason} (${where}${detail === '' ? '' : `: ${detail}`})`;
  return { reason, message };
}

/** When its grace period to start begins. */
export function startedAt({ metadata, status }: Stored<Pod>): Instant {
  const started = Date.parse(status?.startTime ?? '');
  return Number.isNaN(started) ? Date.parse(metadata.creationTimestamp) : started;
}
