import { conditionOf } from '@atoll/kube';
import type { Cause } from './cause.ts';
import type { FoundPod } from './found-pod.ts';
import { readable } from './readable.ts';

/** Why a pod has no node, as far as somebody has reported it; undefined: nobody has. */
export function schedulerCause(pod: FoundPod): Cause | undefined {
  const scheduled = conditionOf(pod, 'PodScheduled');
  const gates = pod.spec?.schedulingGates ?? [];
  if (scheduled?.reason === 'SchedulingGated' || gates.length > 0) {
    const names = gates.slice(0, 3).map(({ name }) => name);
    return { word: 'SchedulingGated', text: `waits for its scheduling gates: ${names.join(', ')}` };
  }
  if (scheduled?.status !== 'False') return undefined;
  // What it reports of preemption, and in Kubernetes 1.36 of claims before that, is the same of nearly every pod.
  const reported = (scheduled.message ?? '').replace(/( no new claims to deallocate,)? preemption: .*/s, '');
  const why = readable(reported) || (scheduled.reason ?? 'no reason was given');
  return { word: 'PodsUnschedulable', text: `no node can take it: ${why}` };
}
