import type { Allowed } from '../plan.ts';
import type { WriteStep } from './request.ts';

/**
 * Whether a step may still be sent under what the guard allows. Nothing is made or changed for an owner that is going.
 */
export function mayStillRun(step: WriteStep, allowed: Allowed): boolean {
  if (allowed === 'everything') return true;
  if (step.do === 'delete' || step.destructive === true) return false;
  return (step.do !== 'create' && step.do !== 'apply') || allowed !== 'no-creation-either';
}
