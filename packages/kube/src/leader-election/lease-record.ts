import type { Instant } from '../clock/clock.ts';
import type { Stored } from '../objects/object.ts';
import type { Lease, LeaseSpec } from '../types/index.ts';

/** A lease as it was read, and when this process first saw it so (monotonic milliseconds). */
export interface ObservedLease {
  readonly lease: Stored<Lease>;
  readonly since: number;
}

/**
 * What is known after reading the lease. Every write of it restarts the wait; the times that stand in it are never
 * compared with our clock, so that clocks that are wrong do no harm.
 */
export function observeLease(
  before: ObservedLease | undefined,
  lease: Stored<Lease>,
  now: number,
): ObservedLease {
  const same = before?.lease.metadata.resourceVersion === lease.metadata.resourceVersion;
  return { lease, since: before !== undefined && same ? before.since : now };
}

/** Whether a candidate may write itself into the lease: it is free, its own, or was not renewed for its duration. */
export function mayTakeLease(
  observed: ObservedLease,
  candidate: { readonly identity: string; readonly leaseDurationMs: number },
  now: number,
): boolean {
  const holder = holderOf(observed);
  if (holder === undefined || holder === candidate.identity) return true;
  const seconds = observed.lease.spec?.leaseDurationSeconds ?? 0;
  const durationMs = seconds > 0 ? seconds * 1000 : candidate.leaseDurationMs;
  return now - observed.since > durationMs;
}

/** A deleted lease is kept for its holder no longer than this: its duration may be that of years. */
const longestDeletedMs = 300_000;

/** The same of a lease that was deleted, as it was last seen. */
export function mayTakeDeletedLease(
  observed: ObservedLease,
  candidate: { readonly identity: string; readonly leaseDurationMs: number },
  now: number,
): boolean {
  return mayTakeLease(observed, candidate, now) || now - observed.since > longestDeletedMs;
}

export function holderOf(observed: ObservedLease | undefined): string | undefined {
  const holder = observed?.lease.spec?.holderIdentity;
  return holder === '' ? undefined : holder;
}

/** As `int32` holds it. A larger number of transitions would be refused, and nobody could take the lease any more. */
const mostTransitions = 2_147_483_647;

/** The record that takes or renews a lease: when it was acquired and how often it changed hands are kept. */
export function heldSpec(
  before: LeaseSpec | undefined,
  holder: { readonly identity: string; readonly leaseDurationMs: number },
  now: Instant,
): LeaseSpec {
  const renewal = before?.holderIdentity === holder.identity;
  const transitions = before?.leaseTransitions ?? 0;
  return {
    ...before,
    holderIdentity: holder.identity,
    leaseDurationSeconds: Math.ceil(holder.leaseDurationMs / 1000),
    acquireTime: (renewal ? before.acquireTime : undefined) ?? microTime(now),
    renewTime: microTime(now),
    leaseTransitions:
      before === undefined || renewal ? transitions : Math.min(transitions + 1, mostTransitions),
  };
}

/** The record of a lease that nobody holds, so that the next candidate need not wait. */
export function releasedSpec(before: LeaseSpec, now: Instant): LeaseSpec {
  return {
    ...before,
    holderIdentity: '',
    leaseDurationSeconds: 1,
    acquireTime: microTime(now),
    renewTime: microTime(now),
  };
}

/** `metav1.MicroTime`: RFC 3339 with six digits behind the second. */
export function microTime(now: Instant): string {
  return new Date(now).toISOString().replace(/\.(\d{3})Z$/, '.$1000Z');
}
