/**
 * Integration tests that `npm test` leaves to `npm run test:all`: what surrounds the work of the operator. Faults one by one, rights, other operators before
 * and beside it, attacks on rollouts, releases, the testbed, and every command of the documents. They take more than half of the time of all
 * integration tests. A change of what an object gets is found by the others.
 */
export const slowIntegration: readonly string[] = [
  'packages/kube/integration/{leader-election,reflector-control-plane,restored-store}.spec.ts',
  // The short cuts of chaos and fuzz stay: each has all kinds, and most faults.
  'packages/operator/integration/faults/!(chaos|fuzz).spec.ts',
  'packages/operator/integration/{security,take-over,upgrade,upstream}/**/*.spec.ts',
  'packages/operator/integration/causes.spec.ts',
  'packages/operator/integration/extended-daemon-set/{again,another-controller,attacked,changed-canary,lost-settings,lowered-quota,refused-successor,take-over}.spec.ts',
  'packages/testbed/integration/**/*.spec.ts',
  'scripts/integration/**/*.spec.ts',
  'start/integration/**/*.spec.ts',
];

/** Set to `0` by `npm test`. */
export const slowTests = 'ATOLL_SLOW_TESTS';

/** What a run of the integration tests passes over. */
export function leftOut(): readonly string[] {
  return process.env[slowTests] === '0' ? slowIntegration : [];
}
