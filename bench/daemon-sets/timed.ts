import { cpuMsOf, type ControlPlane } from '@atoll/testbed';
import { progress } from '../progress.ts';
import { inSeconds } from '../rollout/in-seconds.ts';

export interface Rollout {
  /** Until every pod that is meant is Ready, in milliseconds. */
  readonly ms: number;
  /** Processor time of the controller manager until then. */
  readonly managerMs: number;
}

/** How long the work takes, and what the controller manager takes for it. */
export async function timed(
  controlPlane: ControlPlane,
  what: string,
  work: () => Promise<unknown>,
): Promise<Rollout> {
  const manager = controlPlane.component('kube-controller-manager').pid ?? 0;
  const [startedAt, cpuBefore] = [Date.now(), cpuMsOf(manager)];
  await work();
  const found = { ms: Date.now() - startedAt, managerMs: cpuMsOf(manager) - cpuBefore };
  progress(`${what} after ${inSeconds(found.ms)}; the controller manager took ${inSeconds(found.managerMs)}`);
  return found;
}
