/**
 * Integration tests that `npm test` leaves to `npm run test:all`: what surrounds the work of the operator. Faults, other operators before and
 * beside it, attacks on rollouts, releases, and every command of the documents. They take half of the time of all integration tests. A
 * change of what an object gets is found by the others.
 */
export const slowIntegration: readonly string[] = [
  'packages/operator/integration/{faults,take-over,upgrade,upstream}/**/*.spec.ts',
  'packages/operator/integration/causes.spec.ts',
  'packages/operator/integration/extended-daemon-set/{again,another-controller,attacked,changed-canary,refused-successor,take-over}.spec.ts',
  'scripts/integration/**/*.spec.ts',
  'start/integration/**/*.spec.ts',
];

/** Set to `0` by `npm test`. */
export const slowTests = 'ATOLL_SLOW_TESTS';

/** What a run of the integration tests passes over. */
export function leftOut(): readonly string[] {
  return process.env[slowTests] === '0' ? slowIntegration : [];
}
