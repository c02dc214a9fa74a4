import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { containsWanted, normalised, semanticallyEqual } from './equality.ts';

const container = (extra: object): object => ({ spec: { containers: [{ name: 'c', ...extra }] } });

describe('these mean the same', () => {
  test.each<[string, unknown, unknown]>([
    ['another order of keys', { a: 1, b: 2 }, { b: 2, a: 1 }],
    ['absent and null', { a: null }, {}],
    ['absent and an empty list', { a: [] }, {}],
    ['absent and an empty map', { labels: {} }, {}],
    ['absent and a map of nothing', { securityContext: { capabilities: { add: [] } } }, {}],
    ['absent and an empty text', { serviceAccountName: '' }, {}],
    ['an empty text in a map without its name', { 'index.html': '' }, {}],
    [
      'absent and a switch of pods that is off',
      {
        hostNetwork: false,
        hostPID: false,
        hostIPC: false,
        containers: [{ name: 'c', stdin: false, tty: false }],
      },
      { containers: [{ name: 'c' }] },
    ],
    [
      'a volume that may be written, said and not said',
      container({ volumeMounts: [{ mountPath: '/a', readOnly: false }] }),
      container({ volumeMounts: [{ mountPath: '/a' }] }),
    ],
    ['an element without content and null', { containers: [{}] }, { containers: [null] }],
    [
      'a container without a name and one with an empty one',
      { containers: [{ name: [] }] },
      { containers: [{}] },
    ],
    [
      'quantities of one amount',
      container({ resources: { limits: { cpu: '1' } } }),
      container({ resources: { limits: { cpu: '1000m' } } }),
    ],
    [
      'a number as quantity',
      container({ resources: { requests: { cpu: 1 } } }),
      container({ resources: { requests: { cpu: '1' } } }),
    ],
    [
      'binary and decimal quantities',
      { emptyDir: { sizeLimit: '1Gi' } },
      { emptyDir: { sizeLimit: '1024Mi' } },
    ],
    [
      'quantities in other notation',
      { resources: { limits: { memory: '1e9' } } },
      { resources: { limits: { memory: '1G' } } },
    ],
  ])('%s', (_, a, b) => {
    expect(semanticallyEqual(a, b)).toBe(true);
    expect(normalised(a)).toEqual(normalised(b));
    expect(containsWanted(a, b)).toBe(true);
    expect(containsWanted(b, a)).toBe(true);
  });
});

describe('these do not mean the same', () => {
  test.each<[string, unknown, unknown]>([
    ['numbers', { replicas: 1 }, { replicas: 2 }],
    ['zero and absent', { replicas: 0 }, {}],
    ['false and absent', { automountServiceAccountToken: false }, {}],
    ['a switch of pods that is on', { hostNetwork: true }, { hostNetwork: false }],
    ['another order of a list', { args: ['a', 'b'] }, { args: ['b', 'a'] }],
    [
      'an environment variable that looks like a quantity',
      container({ env: [{ name: 'A', value: '1000' }] }),
      container({ env: [{ name: 'A', value: '1k' }] }),
    ],
    ['a label that looks like a quantity', { labels: { v: '1' } }, { labels: { v: '1000m' } }],
    ['a label with a name of resources', { labels: { limits: '1' } }, { labels: { limits: '1000m' } }],
    ['a label without value and none', { labels: { a: '' } }, { labels: {} }],
    ['an annotation without value and none', { annotations: { a: '' } }, {}],
    ['an empty text in the data of a ConfigMap and none', { data: { 'index.html': '' } }, { data: {} }],
    ['a selector of everything and none', { labelSelector: {} }, {}],
    ['all namespaces and the own', { namespaceSelector: {} }, {}],
    ['no storage class and the default one', { storageClassName: '' }, {}],
    ['a volume in memory and none', { volumes: [{ name: 'a', emptyDir: {} }] }, { volumes: [{ name: 'a' }] }],
    ['an empty argument and none', { args: [''] }, { args: [] }],
    ['text and number', { a: '1' }, { a: 1 }],
    [
      'quantities of different amounts',
      { resources: { limits: { cpu: '1' } } },
      { resources: { limits: { cpu: '1001m' } } },
    ],
  ])('%s', (_, a, b) => {
    expect(semanticallyEqual(a, b)).toBe(false);
    expect(containsWanted(a, b) && containsWanted(b, a)).toBe(false);
  });
});

describe('what is wanted', () => {
  const live = {
    metadata: { labels: { app: 'web', injected: 'yes' }, resourceVersion: '7' },
    spec: {
      replicas: 3,
      template: {
        spec: {
          restartPolicy: 'Always',
          tolerations: [{ key: 'a', operator: 'Exists' }],
          containers: [
            { name: 'mesh', image: 'mesh:1' },
            {
              name: 'web',
              image: 'web:1',
              env: [{ name: 'A', value: '1' }, { name: 'B' }],
              terminationMessagePath: '/dev/log',
            },
            {
              name: 'log',
              image: 'log:1',
              ports: [
                { containerPort: 80, protocol: 'TCP' },
                { containerPort: 80, protocol: 'UDP', name: 'u' },
              ],
            },
          ],
        },
      },
    },
  };
  const pod = (spec: object): object => ({ spec: { template: { spec } } });

  test.each<[string, object]>([
    ['nothing', {}],
    ['a label', { metadata: { labels: { app: 'web' } } }],
    ['fields without those that were defaulted', pod({ containers: [{ name: 'web', image: 'web:1' }] })],
    [
      'containers beside an injected one',
      pod({ containers: [{ name: 'web' }, { name: 'log', image: 'log:1' }] }),
    ],
    ['an empty list where there is none', pod({ volumes: [] })],
    ['an empty variable', pod({ containers: [{ name: 'web', env: [{ name: 'B', value: '' }] }] })],
    [
      'a port whose protocol is the default',
      pod({ containers: [{ name: 'log', ports: [{ containerPort: 80 }] }] }),
    ],
    ['a list as a whole', pod({ tolerations: [{ key: 'a', operator: 'Exists' }] })],
  ])('is there: %s', (_, wanted) => {
    expect(containsWanted(live, wanted)).toBe(true);
  });

  test.each<[string, object]>([
    ['another value', { spec: { replicas: 2 } }],
    ['another label', { metadata: { labels: { app: 'api' } } }],
    ['a label without value', { metadata: { labels: { extra: '' } } }],
    ['another image', pod({ containers: [{ name: 'web', image: 'web:2' }] })],
    ['a container more', pod({ containers: [{ name: 'web' }, { name: 'new' }] })],
    ['another order of containers', pod({ containers: [{ name: 'log' }, { name: 'web' }] })],
    ['a shorter list that is not merged', pod({ tolerations: [] })],
    [
      'a longer list that is not merged',
      pod({ tolerations: [{ key: 'a', operator: 'Exists' }, { key: 'b' }] }),
    ],
    ['an object where there is a value', { spec: { replicas: { a: 1 } } }],
    ['the empty directory of a volume', pod({ volumes: [{ name: 'a', emptyDir: {} }] })],
  ])('is not there: %s', (_, wanted) => {
    expect(containsWanted(live, wanted)).toBe(false);
  });
});

const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('', 'x', '1', '1000m', '1k', '1000'),
    fc.constantFrom(null, 0, 1, true, false),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(
      fc.constantFrom('a', 'labels', 'limits', 'containers', 'name', 'selector', 'emptyDir', 'value'),
      tie('value'),
      { maxKeys: 4 },
    ),
  ),
})).value;

describe('a 0 that the API server does not keep', () => {
  const probe = (fields: object): object => container({ readinessProbe: { tcpSocket: {}, ...fields } });

  test.each<[string, object, object]>([
    ['of a probe', probe({}), probe({ initialDelaySeconds: 0 })],
    [
      'of a probe, for its default',
      probe({ timeoutSeconds: 1, periodSeconds: 10 }),
      probe({ timeoutSeconds: 0, periodSeconds: 0 }),
    ],
    [
      'of a port',
      container({ ports: [{ containerPort: 80 }] }),
      container({ ports: [{ containerPort: 80, hostPort: 0 }] }),
    ],
    [
      'of a workload, beside what is not paused',
      { spec: {} },
      { spec: { minReadySeconds: 0, paused: false } },
    ],
  ])('is there: %s', (_, live, wanted) => {
    expect(containsWanted(live, wanted)).toBe(true);
    // Hashes of the normal form are remembered.
    expect(semanticallyEqual(live, wanted)).toBe(false);
  });

  test.each<[string, object, object]>([
    ['of a probe that waits', probe({ initialDelaySeconds: 5 }), probe({ initialDelaySeconds: 0 })],
    ['of a probe that has another default', probe({ timeoutSeconds: 5 }), probe({ timeoutSeconds: 0 })],
    ['of one that is paused', { spec: { paused: true } }, { spec: { paused: false } }],
    ...[
      'replicas',
      'partition',
      'maxSurge',
      'revisionHistoryLimit',
      'terminationGracePeriodSeconds',
      'runAsUser',
      'fsGroup',
      'activeDeadlineSeconds',
      'progressDeadlineSeconds',
      'defaultMode',
    ].map((name): [string, object, object] => [
      `that is meant: ${name}`,
      { spec: {} },
      { spec: { [name]: 0 } },
    ]),
  ])('is not there: %s', (_, live, wanted) => {
    expect(containsWanted(live, wanted)).toBe(false);
  });
});

test('every value means itself, is contained in itself, and its normal form means the same', () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(semanticallyEqual(value, structuredClone(value))).toBe(true);
      expect(containsWanted(value, value)).toBe(true);
      expect(semanticallyEqual(normalised(value), value)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test('equal meaning contains each other', () => {
  fc.assert(
    fc.property(json, (value) => {
      const other = normalised(value);
      expect(containsWanted(value, other)).toBe(true);
      expect(containsWanted(other, value)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test.each(['constructor', 'toString', '__proto__'])('a list called %s is a list like any other', (name) => {
  const listed = (value: string): unknown => JSON.parse(`{"${name}": [{"a": "${value}"}]}`);
  expect(containsWanted(listed('x'), listed('x'))).toBe(true);
  expect(containsWanted(listed('x'), listed('y'))).toBe(false);
  expect(containsWanted({}, listed('x'))).toBe(false);
  expect(semanticallyEqual(listed('x'), {})).toBe(false);
});
