import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type {
  CanaryStrategy,
  ExtendedDaemonSetSpec,
  ExtendedDaemonSetStrategy,
} from './extended-daemon-set.ts';
import { strategyProblems } from './strategy-problems.ts';
import { withDefaults } from './with-defaults.ts';

const template = {
  metadata: { labels: { app: 'agent' } },
  spec: { containers: [{ name: 'agent', image: 'agent:7' }] },
};

function spec(strategy: ExtendedDaemonSetStrategy = {}): ExtendedDaemonSetSpec {
  return { template, strategy };
}

const rollingUpdate = {
  maxUnavailable: 1,
  maxPodSchedulerFailure: 0,
  maxParallelPodCreation: 250,
  slowStartIntervalDuration: '1m0s',
  slowStartAdditiveIncrease: 1,
};
/** As the old operator writes it back. */
const filledIn = {
  validationMode: 'auto',
  replicas: 1,
  duration: '10m0s',
  noRestartsDuration: '5m0s',
  nodeSelector: { matchLabels: {} },
  autoPause: { enabled: true, maxRestarts: 2 },
  autoFail: { enabled: true, maxRestarts: 5 },
} as const;
const {
  duration: _,
  noRestartsDuration: __,
  ...filledInManual
} = { ...filledIn, validationMode: 'manual' as const };

describe('the defaults', () => {
  it('are those of the old operator', () => {
    expect(withDefaults(spec()).strategy).toEqual({ reconcileFrequency: '10s', rollingUpdate });
    expect(withDefaults(spec({ canary: {} })).strategy.canary).toEqual(filledIn);
    expect(withDefaults(spec({ canary: {} }), 'manual').strategy.canary).toEqual(filledInManual);
  });

  it('are filled in beside what is given', () => {
    const { strategy } = withDefaults(
      spec({
        reconcileFrequency: '1s',
        rollingUpdate: { maxUnavailable: '10%' },
        canary: { replicas: '5%', autoPause: { maxSlowStartDuration: '1m' }, autoFail: { enabled: false } },
      }),
    );
    expect(strategy).toEqual({
      reconcileFrequency: '1s',
      rollingUpdate: { ...rollingUpdate, maxUnavailable: '10%' },
      canary: {
        ...filledIn,
        replicas: '5%',
        autoPause: { enabled: true, maxRestarts: 2, maxSlowStartDuration: '1m' },
        autoFail: { enabled: false, maxRestarts: 5 },
      },
    });
  });

  it('never come back as a canary that was not asked for', () => {
    expect(withDefaults(spec()).strategy).not.toHaveProperty('canary');
  });

  it.each<[string, CanaryStrategy, 'auto' | 'manual', string | undefined, string | undefined]>([
    ['auto', {}, 'manual', '10m0s', '5m0s'],
    ['manual', {}, 'auto', undefined, undefined],
    // What defaulting in the mode auto wrote, before the user changed the mode.
    ['manual', { duration: '10m0s', noRestartsDuration: '5m0s' }, 'auto', undefined, undefined],
  ])(
    'of the mode %s, with %j, come before the mode of the operator, %s',
    (mode, given, own, duration, quiet) => {
      const { canary } = withDefaults(
        spec({ canary: { ...given, validationMode: mode as 'auto' } }),
        own,
      ).strategy;
      expect(canary?.duration).toBe(duration);
      expect(canary?.noRestartsDuration).toBe(quiet);
    },
  );

  it('do not demand quiet of a canary where nothing else is left out', () => {
    const { noRestartsDuration: ___, ...canary } = filledIn;
    const whole = { reconcileFrequency: '10s', rollingUpdate, canary };
    expect(withDefaults(spec(whole)).strategy.canary).not.toHaveProperty('noRestartsDuration');
    const named = { ...spec(whole), template: { ...template, metadata: { name: 'agent' } } };
    expect(withDefaults(named).strategy.canary?.noRestartsDuration).toBe('5m0s');
    for (const field of [
      'duration',
      'replicas',
      'nodeSelector',
      'autoPause',
      'autoFail',
      'validationMode',
    ] as const) {
      const { [field]: ____, ...less } = canary;
      expect(withDefaults(spec({ ...whole, canary: less })).strategy.canary?.noRestartsDuration).toBe('5m0s');
    }
  });

  it('take the name from the template, and leave a template without one as it is', () => {
    expect(withDefaults(spec()).template).toBe(template);
    const named = { ...spec(), template: { ...template, metadata: { name: 'agent', labels: { a: 'b' } } } };
    expect(withDefaults(named).template).toEqual({ ...template, metadata: { labels: { a: 'b' } } });
  });

  it('fill in nothing more where they were filled in, and leave no problem', () => {
    const restarts = fc.nat({ max: 9 });
    const strategies = fc.record(
      {
        reconcileFrequency: fc.constantFrom('10s', '100ms'),
        rollingUpdate: fc.record(
          { maxUnavailable: fc.constantFrom<number | string>(3, '7%'), maxParallelPodCreation: restarts },
          { requiredKeys: [] },
        ),
        canary: fc.record(
          {
            validationMode: fc.constantFrom('auto' as const, 'manual' as const),
            duration: fc.constantFrom('3m', '1h'),
            noRestartsDuration: fc.constantFrom('1m', '0'),
            replicas: fc.constantFrom<number | string>(2, '1%'),
            autoPause: fc.record({ enabled: fc.boolean() }, { requiredKeys: [] }),
            autoFail: fc.record(
              { maxRestarts: fc.nat({ max: 9 }).map((more) => more + 2) },
              { requiredKeys: [] },
            ),
          },
          { requiredKeys: [] },
        ),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(strategies, fc.constantFrom('auto' as const, 'manual' as const), (strategy, mode) => {
        const given = structuredClone(strategy);
        const once = withDefaults(spec(strategy as ExtendedDaemonSetStrategy), mode);
        expect(strategy).toEqual(given);
        expect(withDefaults(once, 'auto')).toEqual(once);
        expect(strategyProblems(once.strategy)).toEqual([]);
      }),
    );
  });
});
