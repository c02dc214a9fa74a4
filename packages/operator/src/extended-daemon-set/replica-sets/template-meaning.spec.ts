import { hash } from 'node:crypto';
import fc from 'fast-check';
import type { PodTemplateSpec } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { sameTemplate } from './template-meaning.ts';

const container = { name: 'agent', image: 'agent:1' };
const template: PodTemplateSpec = {
  metadata: { labels: { app: 'agent' } },
  spec: { containers: [container] },
};

function withContainer(over: object): PodTemplateSpec {
  return { ...template, spec: { containers: [{ ...container, ...over }] } };
}

function withVolume(source: object): PodTemplateSpec {
  return { ...template, spec: { containers: [container], volumes: [{ name: 'v', ...source }] } };
}

describe('two templates', () => {
  it.each<readonly [string, PodTemplateSpec, PodTemplateSpec]>([
    [
      'quantities written differently',
      withContainer({ resources: { requests: { cpu: '1', memory: '1Gi' } } }),
      withContainer({ resources: { requests: { cpu: '1000m', memory: '1024Mi' } } }),
    ],
    [
      'empty values',
      template,
      {
        metadata: { ...template.metadata, annotations: {} },
        spec: { containers: [{ ...container, resources: {} }] },
      },
    ],
    [
      'the default protocol of a port',
      withContainer({ ports: [{ containerPort: 80 }] }),
      withContainer({ ports: [{ containerPort: 80, protocol: 'TCP' }] }),
    ],
    [
      'zeros that the API server does not keep in a pod',
      withContainer({ ports: [{ containerPort: 80 }], livenessProbe: { tcpSocket: { port: 80 } } }),
      withContainer({
        ports: [{ containerPort: 80, hostPort: 0 }],
        livenessProbe: { tcpSocket: { port: 80 }, initialDelaySeconds: 0, periodSeconds: 0 },
      }),
    ],
    [
      'the default pull policy of an image volume',
      withVolume({ image: { reference: 'r.io/a:1' } }),
      withVolume({ image: { reference: 'r.io/a:1', pullPolicy: 'IfNotPresent' } }),
    ],
    [
      'defaults of the API server, as `kubectl get -o yaml` prints them of a pod or a DaemonSet',
      withContainer({
        livenessProbe: { httpGet: { port: 80 } },
        env: [{ name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
      }),
      {
        ...template,
        spec: {
          restartPolicy: 'Always',
          dnsPolicy: 'ClusterFirst',
          schedulerName: 'default-scheduler',
          terminationGracePeriodSeconds: 30,
          securityContext: {},
          containers: [
            {
              ...container,
              imagePullPolicy: 'IfNotPresent',
              terminationMessagePath: '/dev/termination-log',
              terminationMessagePolicy: 'File',
              livenessProbe: { httpGet: { port: 80, scheme: 'HTTP' }, timeoutSeconds: 1, periodSeconds: 10 },
              env: [
                { name: 'NODE', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'spec.nodeName' } } },
              ],
            },
          ],
        },
      },
    ],
    [
      'the default mode of a volume',
      withVolume({ configMap: { name: 'c' } }),
      withVolume({ configMap: { name: 'c', defaultMode: 420 } }),
    ],
    [
      'the name that upstream empties',
      template,
      { ...template, metadata: { ...template.metadata, name: 'x' } },
    ],
    [
      'the creationTimestamp that upstream prints',
      template,
      {
        ...template,
        metadata: { ...template.metadata, creationTimestamp: null },
      } as unknown as PodTemplateSpec,
    ],
  ])('mean the same in spite of %s', (_, a, b) => {
    expect(sameTemplate(a, b)).toBe(true);
  });

  it.each<readonly [string, PodTemplateSpec]>([
    ['an image', withContainer({ image: 'agent:2' })],
    ['a restart policy', { ...template, spec: { containers: [container], restartPolicy: 'OnFailure' } }],
    ['a pull policy', withContainer({ imagePullPolicy: 'Always' })],
    ['a label', { ...template, metadata: { labels: { app: 'other' } } }],
    ['a port that is not TCP', withContainer({ ports: [{ containerPort: 80, protocol: 'UDP' }] })],
    [
      'a label called like a default',
      { ...template, metadata: { labels: { app: 'agent', protocol: 'TCP' } } },
    ],
  ])('differ by %s', (_, other) => {
    expect(sameTemplate(template, other)).toBe(false);
    expect(sameTemplate(other, template)).toBe(false);
  });

  it('are compared in whatever order their keys stand', () => {
    const keys = ['image', 'command', 'args', 'tty', 'stdin', 'workingDir'] as const;
    fc.assert(
      fc.property(fc.shuffledSubarray([...keys]), (order) => {
        const values = { image: 'a', command: ['b'], args: ['c'], tty: true, stdin: true, workingDir: '/' };
        const pick = (names: readonly (typeof keys)[number][]) =>
          withContainer(Object.fromEntries(names.map((name) => [name, values[name]])));
        expect(sameTemplate(pick(order), pick(keys.filter((key) => order.includes(key))))).toBe(true);
      }),
    );
  });

  it.each<unknown>([
    { spec: null },
    { metadata: null },
    { spec: { containers: null } },
    { spec: { containers: [null] } },
  ])('are compared where one is malformed: %j', (malformed) => {
    expect(sameTemplate(malformed as PodTemplateSpec, template)).toBe(false);
  });
});

// reference/extendeddaemonset.md 3.2. The MD5 of these texts is a token to this operator, which it compares and never computes.
it.each<readonly [string, string, object]>([
  [
    'a2bb34618483323482d9a56ae2515eed',
    '{"metadata":{"creationTimestamp":null},"spec":{"containers":null}}',
    { spec: { containers: null } },
  ],
  [
    'c08e4c7b196a8a9ba3fd4723a4366c8b',
    '{"metadata":{"creationTimestamp":null},"spec":{"containers":[{"name":"name","image":"image","resources":{}}]}}',
    { spec: { containers: [{ name: 'name', image: 'image' }] } },
  ],
])('what the old operator hashed as %s is the template that a person wrote', (md5, text, written) => {
  expect(hash('md5', text)).toBe(md5);
  expect(sameTemplate(JSON.parse(text) as PodTemplateSpec, written as PodTemplateSpec)).toBe(true);
});
