import { configDefaults, defineConfig } from 'vitest/config';

/** Minutes each: they wait as long as users' settings say, or repeat what `npm test` does a few times. */
const long = '**/*.long.spec.ts';
const controlPlanes = {
  globalSetup: ['packages/testbed/src/vitest/shared-plane.ts'],
  testTimeout: 60_000,
  hookTimeout: 60_000,
  maxWorkers: 2,
};

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'packages/*/src/**/*.spec.ts',
            'scripts/**/*.spec.ts',
            'bench/**/*.spec.ts',
            'start/*.spec.ts',
          ],
          // Some only compute, for seconds where others want the processor too.
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'explore',
          include: ['packages/operator/explore/**/*.spec.ts'],
          testTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['packages/*/integration/**/*.spec.ts', 'start/integration/**/*.spec.ts'],
          exclude: [...configDefaults.exclude, long],
          ...controlPlanes,
        },
      },
      { test: { name: 'long', include: [`packages/${long}`], ...controlPlanes } },
    ],
  },
});
