import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { LongestFirst } from './scripts/vitest/longest-first.ts';
import { leftOut } from './scripts/vitest/slow-integration.ts';

/** Minutes each: they wait as long as users' settings say, or repeat what `npm test` does a few times. */
const long = '**/*.long.spec.ts';
const controlPlanes = {
  // Programs run as the bundles that users get; ATOLL_DIST=0 runs their sources.
  env: { ATOLL_DIST: process.env['ATOLL_DIST'] ?? '1' },
  globalSetup: ['scripts/vitest/bundles-for-tests.ts', 'packages/testbed/src/vitest/shared-control-plane.ts'],
  testTimeout: 180_000,
  hookTimeout: 180_000,
};
const computes = { setupFiles: ['scripts/vitest/yield-processor.ts'] };

export default defineConfig({
  test: {
    // Integration tests mostly wait, so two processors serve four files; each may have a control plane of some 600 MB.
    maxWorkers: Math.max(4, availableParallelism()),
    // The files of one worker share its modules: to load them took as long as the unit tests themselves.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // Deadlines end what is stuck; none is so near that a machine that is busy with other things misses it.
    expect: { poll: { timeout: 60_000, interval: 50 } },
    // The summary at the end of a run repeats messages only: a list that should be empty is shown with what is in it.
    chaiConfig: { truncateThreshold: 2_000 },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [
            'packages/*/{src,chaos,fuzz}/**/*.spec.ts',
            'scripts/{*,!(integration)/*}.spec.ts',
            'bench/**/*.spec.ts',
            'start/*.spec.ts',
            'start/{fleet,terminal}/*.spec.ts',
          ],
          // Some only compute, for seconds, and the longer the more want the processor.
          testTimeout: 120_000,
          ...computes,
        },
      },
      {
        extends: true,
        test: {
          name: 'explore',
          include: ['packages/operator/explore/**/*.spec.ts'],
          exclude: [...configDefaults.exclude, long],
          testTimeout: 600_000,
          ...computes,
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: [
            'packages/*/integration/**/*.spec.ts',
            'start/integration/**/*.spec.ts',
            'scripts/integration/**/*.spec.ts',
            'examples/**/*.spec.ts',
          ],
          exclude: [...configDefaults.exclude, long, ...leftOut()],
          ...controlPlanes,
        },
      },
      {
        extends: true,
        test: {
          name: 'long',
          include: [`packages/${long}`, `scripts/${long}`],
          ...controlPlanes,
          // Explorations are among them.
          testTimeout: 600_000,
        },
      },
    ],
  },
});
