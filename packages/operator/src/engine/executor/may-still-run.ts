import type { KubeObject, Stored } from '@atoll/kube';
import { isAsPlanned } from '../plan.ts';
import type { Guard } from '../plan.ts';
import type { WriteStep } from './requests/request.ts';

/**
 * Whether a step may still be sent, as far as one guard of its plan decides. `found`: the guard's object as it is. For an owner
 * that is being deleted nothing is made, applied or deleted: the garbage collector takes what it owns.
 */
export function mayStillRun(
  { do: does }: WriteStep,
  guard: Guard,
  found: Stored<KubeObject> | undefined,
): boolean {
  if (!isAsPlanned(guard, found)) return false;
  if (found?.metadata.deletionTimestamp === undefined) return true;
  return does === 'patch' || does === 'conditions';
}
