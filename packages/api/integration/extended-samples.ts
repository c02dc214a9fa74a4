import type { ExtendedDaemonSet } from '../src/index.ts';
import type { Loose } from './samples.ts';

const template = {
  metadata: { labels: { app: 'agent' } },
  spec: { containers: [{ name: 'agent', image: 'agent:7' }] },
};

/** A valid ExtendedDaemonSet; `spec` replaces fields. */
export function extended(namespace: string, name: string, spec: Loose = {}): ExtendedDaemonSet {
  return {
    metadata: { namespace, name },
    spec: { template, strategy: {}, ...spec },
  } as unknown as ExtendedDaemonSet;
}

/** The ExtendedDaemonsetSetting in the manual of the old operator. */
export const settingOfManual = `
apiVersion: datadoghq.com/v1alpha1
kind: ExtendedDaemonsetSetting
metadata:
  name: foo-xxl-node
spec:
  nodeSelector:
    matchLabels:
      node-type: xxl
  reference:
    kind: ExtendedDaemonset
    name: foo
  containers:
    - name: daemon
      resources:
        requests:
          cpu: "0.5"
          memory: "300m"
`;

export function rollingUpdate(fields: Loose): Loose {
  return { strategy: { rollingUpdate: fields } };
}

export function canary(fields: Loose): Loose {
  return { strategy: { canary: fields } };
}

/**
 * What the schema refuses and the old operator's schema accepts, with the words of the refusal. The schema forgives
 * each to an object that has it already.
 */
export const refusedStrategies: readonly (readonly [string, Loose, string])[] = [
  ['a negative number of nodes', rollingUpdate({ maxUnavailable: -1 }), 'must be a number of at least 0'],
  [
    'a malformed percentage',
    rollingUpdate({ slowStartAdditiveIncrease: '10$' }),
    'whole percentage such as 10%',
  ],
  ['a number as text', rollingUpdate({ maxPodSchedulerFailure: '10' }), 'whole percentage such as 10%'],
  ['a negative percentage', canary({ replicas: '-5%' }), 'whole percentage such as 10%'],
  ['a fraction of a percent', canary({ replicas: '0.5%' }), 'whole percentage such as 10%'],
  [
    'no unavailable nodes',
    rollingUpdate({ maxUnavailable: 0 }),
    'must not be 0: nothing would ever be replaced',
  ],
  [
    '0 % unavailable nodes',
    rollingUpdate({ maxUnavailable: '0%' }),
    'must not be 0: nothing would ever be replaced',
  ],
  ['a negative number of pods', rollingUpdate({ maxParallelPodCreation: -1 }), 'greater than or equal to 0'],
  ['no interval', rollingUpdate({ slowStartIntervalDuration: '0s' }), 'must be longer than 0'],
  ['a malformed interval', rollingUpdate({ slowStartIntervalDuration: '5' }), 'such as 1h30m, 10s or 250ms'],
  ['a frequency in words', { strategy: { reconcileFrequency: '10 seconds' } }, 'such as 1h30m, 10s or 250ms'],
  ['a negative frequency', { strategy: { reconcileFrequency: '-10s' } }, 'must be a duration of at least 0'],
  ['centuries', canary({ autoFail: { canaryTimeout: '3000000h' } }), 'such as 1h30m, 10s or 250ms'],
  ['days', canary({ duration: '1d' }), 'such as 1h30m, 10s or 250ms'],
  ['a malformed quiet time', canary({ noRestartsDuration: '' }), 'such as 1h30m, 10s or 250ms'],
  ['a malformed slow start', canary({ autoPause: { maxSlowStartDuration: 'm' } }), 'such as 1h30m'],
  ['a malformed time of restarts', canary({ autoFail: { maxRestartsDuration: '1h-1m' } }), 'such as 1h30m'],
  ['negative restarts', canary({ autoPause: { maxRestarts: -1 } }), 'greater than or equal to 0'],
  [
    'a failure before the pause',
    canary({ autoFail: { maxRestarts: 1 } }),
    'so that a canary is paused before it fails',
  ],
  [
    'a pause after the failure',
    canary({ autoPause: { maxRestarts: 8 }, autoFail: { maxRestarts: 7 } }),
    'so that a canary is paused before it fails',
  ],
  [
    'a timeout before the end',
    canary({ duration: '60m', autoFail: { canaryTimeout: '1h' } }),
    'autoFail.canaryTimeout must be longer than duration',
  ],
  [
    'a timeout before the end that is left out',
    canary({ validationMode: 'auto', autoFail: { canaryTimeout: '9m59s' } }),
    'autoFail.canaryTimeout must be longer than duration',
  ],
];
