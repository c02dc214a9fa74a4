import { daemonSetUpdate } from '@atoll/api';
import { describe, expect, it } from 'vitest';
import { readUpgradeRequest } from './upgrade-request.ts';

const { annotations: names } = daemonSetUpdate;
const [update, upgrade] = [names.updateStrategy, names.upgradeStrategy];

function read(annotations: Readonly<Record<string, string>>, type: string | undefined = 'OnDelete') {
  const updateStrategy = type === '' ? {} : { type };
  const template = { spec: { containers: [] } };
  const metadata = { name: 'agent', uid: 'u', resourceVersion: '1', creationTimestamp: '', annotations };
  return readUpgradeRequest({ metadata, spec: { selector: {}, template, updateStrategy } });
}

const rolling = {
  strategy: 'rolling',
  maxUnavailable: '10%',
  paused: false,
  awayCountsForMs: 60_000,
  evicts: false,
};

const ota = { strategy: 'ota', paused: false };

describe('the strategy', () => {
  it.each([
    ['nothing', {}, { strategy: 'none' }],
    ['other annotations only', { [names.maxUnavailable]: 'x' }, { strategy: 'none' }],
    ['OTA', { [update]: 'OTA' }, ota],
    ['OTA in another case', { [update]: 'ota' }, ota],
    ['OTA under the name of the proposal', { [upgrade]: 'OTA' }, ota],
    ['both names with one meaning', { [update]: 'auto', [upgrade]: 'AdvancedRollingUpdate' }, rolling],
    ['AdvancedRollingUpdate', { [update]: 'advancedRollingUPDATE' }, rolling],
    ['Auto', { [update]: 'Auto' }, rolling],
  ])('is read from %s', (_, annotations, expected) => {
    expect(read(annotations)).toEqual(expected);
  });

  it.each([
    [
      'a value that is none',
      { [update]: 'Rolling' },
      'the annotation apps.openyurt.io/update-strategy is "Rolling". Use OTA or AdvancedRollingUpdate',
    ],
    [
      'the name of what every object has',
      { [update]: 'constructor' },
      'the annotation apps.openyurt.io/update-strategy is "constructor". Use OTA or AdvancedRollingUpdate',
    ],
    [
      'an empty value',
      { [update]: '' },
      'the annotation apps.openyurt.io/update-strategy is "". Use OTA or AdvancedRollingUpdate',
    ],
    [
      'two that contradict each other',
      { [update]: 'OTA', [upgrade]: 'Auto' },
      'the annotations contradict each other: apps.openyurt.io/update-strategy is "OTA" and apps.openyurt.io/upgrade-strategy is "Auto". Remove one of them',
    ],
  ])('is refused with %s', (_, annotations, problem) => {
    expect(read(annotations)).toEqual({ strategy: 'invalid', reason: 'InvalidUpgradeStrategy', problem });
  });

  it.each(['RollingUpdate', ''])('is refused where the DaemonSet controller replaces pods: "%s"', (type) => {
    expect(read({ [update]: 'OTA' }, type)).toMatchObject({
      strategy: 'invalid',
      reason: 'NotOnDelete',
      problem: expect.stringContaining('spec.updateStrategy.type is RollingUpdate'),
    });
  });
});

describe('max-unavailable', () => {
  it.each([
    ['3', 3],
    ['25%', '25%'],
    ['0', '10%'],
    ['0%', '10%'],
    ['200%', '200%'],
  ])('%s means %s', (value, maxUnavailable) => {
    expect(read({ [update]: 'Auto', [names.maxUnavailable]: value })).toEqual({ ...rolling, maxUnavailable });
  });

  it.each(['', '-1', '-10%', '1.5', '10 %', 'ten', '1e3', '99999999999999999999'])(
    '"%s" is refused',
    (value) => {
      const problem = `the annotation apps.openyurt.io/max-unavailable is "${value}". Use a whole number like 3, or a percentage like 10%`;
      expect(read({ [update]: 'Auto', [names.maxUnavailable]: value })).toMatchObject({
        strategy: 'invalid',
        problem,
      });
    },
  );
});

describe('the other annotations', () => {
  it('pause, evict, and report how long a node counts that went away', () => {
    const asked = {
      [update]: 'Auto',
      [names.rolloutPaused]: 'true',
      [names.respectDisruptionBudgets]: 'true',
      [names.awayNodeCountsSeconds]: '0',
    };
    expect(read(asked)).toEqual({ ...rolling, paused: true, evicts: true, awayCountsForMs: 0 });
  });

  it.each([
    [names.rolloutPaused, 'yes', 'Use "true" or "false"'],
    [names.respectDisruptionBudgets, 'True', 'Use "true" or "false"'],
    [names.awayNodeCountsSeconds, '1m', 'Use whole seconds from 0 to 86400, like 60'],
    [names.awayNodeCountsSeconds, '86401', 'Use whole seconds from 0 to 86400, like 60'],
  ])('%s "%s" is refused', (name, value, use) => {
    const problem = `the annotation ${name} is "${value}". ${use}`;
    expect(read({ [update]: 'Auto', [name]: value })).toMatchObject({ strategy: 'invalid', problem });
  });
});
