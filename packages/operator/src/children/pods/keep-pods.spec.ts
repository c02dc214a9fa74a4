import { describe, expect, it } from 'vitest';
import type { Instant, Stored } from '@atoll/kube';
import type { ChildWorkload, PodTemplate, RenderedChild } from '../child.ts';
import { keepPods, podsHash } from './keep-pods.ts';

const labels = { app: 'web' };

/** Something of everything that the meaning of a template depends on. */
const rich = {
  metadata: { labels, annotations: { 'example.com/note': 'x' } },
  spec: {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    serviceAccountName: 'web',
    serviceAccount: 'web',
    nodeSelector: { disk: 'ssd' },
    tolerations: [{ key: 'edge', operator: 'Exists' }],
    securityContext: {},
    initContainers: [{ name: 'first', image: 'busybox' }],
    containers: [
      {
        name: 'web',
        image: 'nginx:1.27',
        imagePullPolicy: 'IfNotPresent',
        ports: [{ containerPort: 80, protocol: 'TCP' }],
        env: [{ name: 'NODE', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'spec.nodeName' } } }],
        resources: { requests: { cpu: '100m' }, limits: {} },
        readinessProbe: { httpGet: { path: '/', port: 80, scheme: 'HTTP' }, periodSeconds: 10 },
        terminationMessagePath: '/dev/termination-log',
      },
    ],
    volumes: [
      { name: 'config', configMap: { name: 'web', defaultMode: 420 } },
      { name: 'host', hostPath: { path: '/var', type: '' } },
    ],
  },
};
const bare = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx:1.27' }] } };

describe('the hash that children remember of their pods', () => {
  /** Another hash under the same version restarts the pods of everybody who upgrades: then count `hashVersion` up. */
  it.each([
    ['a bare template', bare, '2-5qsd85xzfp'],
    ['a rich one', rich, '2-d79jnvw6s6'],
  ])('of %s is the same in every release', (_title, template, hash) => {
    expect(podsHash(template)).toBe(hash);
  });

  it('does not distinguish what the API server treats alike', () => {
    const [container] = bare.spec.containers;
    const stated = { ...container, imagePullPolicy: 'IfNotPresent', terminationMessagePolicy: 'File' };
    const spec = { dnsPolicy: 'ClusterFirst', containers: [stated] };
    expect(podsHash({ ...bare, spec })).toBe(podsHash(bare));
    const edge = { key: 'edge', value: 'x', effect: 'NoSchedule' };
    const own = { key: 'k', operator: 'Exists' };
    const [one, other] = [
      [own, edge],
      [{ ...edge, operator: 'Equal' }, own],
    ].map((tolerations) => podsHash({ ...bare, spec: { ...bare.spec, tolerations } }));
    expect(one).toBe(other);
  });
});

describe('a default that the hashes of earlier releases do not leave out', () => {
  const [container] = bare.spec.containers;
  const withVariable = (fileKeyRef: object): PodTemplate => ({
    ...bare,
    spec: { containers: [{ ...container, env: [{ name: 'A', valueFrom: { fileKeyRef } }] }] },
  });
  const withVolume = (volume: object): PodTemplate => ({
    ...bare,
    spec: { ...bare.spec, volumes: [volume] },
  });
  const claim = { accessModes: ['ReadWriteOnce'] };
  const key = { volumeName: 'v', path: 'p', key: 'k' };

  /** The hashes are those that 0.3.0 writes. */
  it.each<readonly [string, string, PodTemplate, PodTemplate, PodTemplate]>([
    [
      'the pull policy of an image volume',
      '2-l4l449ljcd',
      withVolume({ name: 'v', image: { reference: 'r.io/a:1' } }),
      withVolume({ name: 'v', image: { reference: 'r.io/a:1', pullPolicy: 'IfNotPresent' } }),
      withVolume({ name: 'v', image: { reference: 'r.io/a:1', pullPolicy: 'Always' } }),
    ],
    [
      'that a variable from a file is not optional',
      '2-4ndps7r9l6',
      withVariable(key),
      withVariable({ ...key, optional: false }),
      withVariable({ ...key, optional: true }),
    ],
    [
      'the volume mode of an ephemeral volume',
      '2-plq2nvg8c9',
      withVolume({ name: 'v', ephemeral: { volumeClaimTemplate: { spec: claim } } }),
      withVolume({
        name: 'v',
        ephemeral: { volumeClaimTemplate: { spec: { ...claim, volumeMode: 'Filesystem' } } },
      }),
      withVolume({
        name: 'v',
        ephemeral: { volumeClaimTemplate: { spec: { ...claim, volumeMode: 'Block' } } },
      }),
    ],
  ])('is no difference, and a hash that is noted stays: %s', (_, noted, left, stated, other) => {
    expect(podsHash(stated)).toBe(podsHash(left));
    expect(podsHash(other)).not.toBe(podsHash(left));
    expect(podsHash(stated, noted)).toBe(noted);
    expect(podsHash(left, noted)).toBe(podsHash(left));
  });

  it('restarts no pod where it is left out', () => {
    const label = 'revision';
    const left = withVolume({ name: 'v', image: { reference: 'r.io/a:1' } });
    const stated = withVolume({ name: 'v', image: { reference: 'r.io/a:1', pullPolicy: 'IfNotPresent' } });
    const template = { ...stated, metadata: { labels: { ...labels, [label]: 'one' } } };
    const live = {
      metadata: { name: 'web', annotations: { 'atoll.dev/pod-template-hash': '2-l4l449ljcd' } },
      spec: { selector: {}, template },
    };
    const { spec } = keepPods(
      {
        metadata: { name: 'web', labels: { [label]: 'two' } },
        spec: { template: left },
      } as unknown as RenderedChild,
      label,
      live as unknown as Stored<ChildWorkload>,
      undefined,
      0 as Instant,
    );
    expect(spec.template.metadata?.labels?.[label]).toBe('one');
  });
});

describe('a child whose template has tolerations that are no list', () => {
  it.each([{ key: 'edge' }, 'edge', 7])(
    'gets them as they are, for the API server to refuse: %j',
    (wrong) => {
      const template = { ...bare, spec: { ...bare.spec, tolerations: wrong } };
      const live = { metadata: { name: 'web' }, spec: { selector: {}, template: rich } };
      const { spec } = keepPods(
        { metadata: { name: 'web' }, spec: { template } } as unknown as RenderedChild,
        'revision',
        live as unknown as Stored<ChildWorkload>,
        undefined,
        0 as Instant,
      );
      expect(spec.template.spec).toEqual({ ...bare.spec, tolerations: wrong });
    },
  );
});
