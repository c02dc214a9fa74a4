import { expect, it } from 'vitest';
import { agent, ago, node, podOn, replicaSet, template } from '../extended-daemon-set.fixture.ts';
import { renderPod } from '../fleet/render-pod.ts';
import { podOverrides } from './pod-overrides.ts';
import { variantOf, variantOfPod } from './pod-variant.ts';

const key = 'resources.extendeddaemonset.datadoghq.com/edge.agent.agent';
const object = agent('agent:1');

function setting(name: string) {
  return {
    metadata: {
      name,
      namespace: 'edge',
      uid: `uid-${name}`,
      resourceVersion: '1',
      creationTimestamp: ago(60),
    },
    spec: {
      reference: { kind: 'ExtendedDaemonset', name: 'agent' },
      nodeSelector: {},
      containers: [{ name: 'agent', resources: { requests: { cpu: '1' } } }],
    },
  };
}

it.each([
  ['without overrides', {}, undefined],
  ['with a setting', {}, 'big'],
  ['with a setting whose name is too long for a label', {}, 'b'.repeat(100)],
  ['with an annotation', { [key]: '{"requests":{"cpu":"1"}}' }, undefined],
  ['with an annotation that cannot be used', { [key]: '{' }, undefined],
  ['with both', { [key]: '{"requests":{"cpu":"2"}}' }, 'big'],
])('a pod that is made %s has the variant by which it was tried, and no other', (_, annotations, name) => {
  const of = (found: object, used: string | undefined) =>
    podOverrides(
      template('agent:1'),
      object.metadata,
      node('a', { annotations: found as typeof annotations }),
      used === undefined ? undefined : setting(used),
    );
  const overrides = of(annotations, name);
  const given = { object, replicaSet: replicaSet(1), node: 'a', overrides, isCanary: false, failures: 0 };
  const { metadata } = renderPod(given);
  const pod = podOn('a', replicaSet(1));
  expect(variantOfPod({ ...pod, metadata: { ...pod.metadata, ...metadata } })).toBe(variantOf(overrides));
  // Another text of the annotation is another annotation of the pod, which a policy may look at.
  expect(variantOf(of({ ...annotations, [key]: '{"requests":{"cpu":1.0}}' }, name))).not.toBe(
    variantOf(overrides),
  );
});
