import { describe, expect, it } from 'vitest';
import type { ExtendedDaemonSetStrategy } from './extended-daemon-set.ts';
import { strategyProblems } from './strategy-problems.ts';
import { withDefaults } from './with-defaults.ts';

function problems(strategy: ExtendedDaemonSetStrategy, mode: 'auto' | 'manual' = 'auto'): readonly string[] {
  return strategyProblems(withDefaults({ template: {}, strategy }, mode).strategy);
}

const syntax = 'it must be a number of at least 0, or a whole percentage of at least 0%';

describe('a strategy', () => {
  it.each<[string, ExtendedDaemonSetStrategy, string]>([
    [
      'a malformed percentage',
      { rollingUpdate: { slowStartAdditiveIncrease: '10$' } },
      `is "10$"; ${syntax}`,
    ],
    ['a number as text', { rollingUpdate: { maxPodSchedulerFailure: '10' } }, `is "10"; ${syntax}`],
    ['a negative number', { canary: { replicas: -1 } }, `is -1; ${syntax}`],
    ['a number in quotes', { rollingUpdate: { maxUnavailable: '1' } }, '. Without quotes it is a number'],
    ['no unavailable nodes', { rollingUpdate: { maxUnavailable: '0%' } }, 'must be a number of at least 1'],
    [
      'no interval (BUG-13)',
      { rollingUpdate: { slowStartIntervalDuration: '0' } },
      'is 0; it must be longer than 0',
    ],
    ['a negative duration', { reconcileFrequency: '-1s' }, 'is -1s; it must be at least 0'],
    ['a malformed duration', { canary: { duration: '5 min' } }, 'invalid duration "5 min"'],
    ['a duration of centuries', { canary: { duration: '3000000h' } }, 'it is too long'],
    ['a negative count', { canary: { autoPause: { maxRestarts: -1 } } }, 'is -1; it must be at least 0'],
    [
      'a failure before the pause',
      { canary: { autoFail: { maxRestarts: 1 } } },
      'spec.strategy.canary.autoFail.maxRestarts is 1; it must be at least autoPause.maxRestarts, which is 2',
    ],
    [
      'a timeout before the end',
      { canary: { autoFail: { canaryTimeout: '10m' } } },
      'canaryTimeout is 10m; it must be longer than duration, which is 10m0s',
    ],
  ])('with %s is reported with field, value and what is allowed', (_, strategy, sentence) => {
    expect(problems(strategy)).toEqual([expect.stringContaining(sentence)]);
  });

  it.each<[string, ExtendedDaemonSetStrategy]>([
    ['as few restarts for both', { canary: { autoFail: { maxRestarts: 2 } } }],
    ['no automatic pause', { canary: { autoFail: { maxRestarts: 1 }, autoPause: { enabled: false } } }],
    [
      'no automatic failure',
      { canary: { autoFail: { enabled: false, maxRestarts: 1, canaryTimeout: '1s' } } },
    ],
    [
      'a timeout of a canary that has no end',
      { canary: { validationMode: 'manual', autoFail: { canaryTimeout: '1s' } } },
    ],
    [
      'the durations of another mode',
      { canary: { validationMode: 'manual', duration: '10m0s', noRestartsDuration: '5m0s' } },
    ],
    ['microseconds', { reconcileFrequency: '1us', rollingUpdate: { slowStartIntervalDuration: '1ms' } }],
  ])('with %s has no problem', (_, strategy) => {
    expect(problems(strategy)).toEqual([]);
  });

  it('with several mistakes is reported with each, and values that mean nothing are compared with nothing', () => {
    const autoFail = { maxRestarts: 1, canaryTimeout: '1m' };
    expect(problems({ canary: { replicas: -1, autoFail } })).toEqual([
      expect.stringContaining('canary.replicas is -1'),
      expect.stringContaining('autoFail.maxRestarts is 1'),
      expect.stringContaining('autoFail.canaryTimeout is 1m'),
    ]);
    expect(problems({ canary: { autoFail: { maxRestarts: -1, canaryTimeout: '1 min' } } })).toEqual([
      expect.stringContaining('autoFail.maxRestarts is -1; it must be at least 0'),
      expect.stringContaining('invalid duration "1 min"'),
    ]);
  });

  it('has the timeout of a canary in the mode of the operator', () => {
    expect(problems({ canary: { autoFail: { canaryTimeout: '1m' } } }, 'manual')).toEqual([]);
  });
});
