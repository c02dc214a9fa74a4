import { defineConfig } from 'vitest/config';

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
          globalSetup: ['packages/testbed/src/vitest/shared-plane.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
        },
      },
    ],
  },
});
