import { expect, test } from 'vitest';
import type { KubeObject } from '@atoll/kube';
import { deploymentOf } from './deployment-of-pod.ts';

function pod(kind: string, owner: string, hash?: string): KubeObject {
  return {
    metadata: {
      name: 'web-a-6d4f-x7k2p',
      ...(hash === undefined ? {} : { labels: { 'pod-template-hash': hash } }),
      ownerReferences: [{ apiVersion: 'apps/v1', kind, name: owner, uid: 'u', controller: true }],
    },
  };
}

test.each([
  ['of a Deployment', pod('ReplicaSet', 'web-a-6d4f', '6d4f'), 'web-a'],
  ['of a Deployment whose name ends like a hash', pod('ReplicaSet', 'web-6d4f-6d4f', '6d4f'), 'web-6d4f'],
  ['of a ReplicaSet that somebody else made', pod('ReplicaSet', 'web-a', '6d4f'), undefined],
  ['of a ReplicaSet without a Deployment', pod('ReplicaSet', 'web-a-6d4f'), undefined],
  ['of a StatefulSet', pod('StatefulSet', 'web-a-6d4f', '6d4f'), undefined],
  ['of nobody', { metadata: { name: 'web' } }, undefined],
])('the Deployment of a pod %s', (_, object, name) => {
  expect(deploymentOf(object)).toBe(name);
});
