import { deployments, pods, statefulSets } from '@atoll/kube';
import { expect, it } from 'vitest';
import { undeclaredBy } from './declared-writes.ts';
import type { WriteStep } from '../engine/executor/requests/request.ts';
import { kindDefinitions } from './kind-definitions.ts';

const why = { word: 'ChildUpdated', message: '' } as const;
const key = { namespace: 'shop', name: 'web' };
const object = { metadata: key };
const undeclared = undeclaredBy(kindDefinitions);

it.each<readonly [string, WriteStep, string | undefined]>([
  [
    'united-deployment',
    { why, do: 'create', resource: { ...deployments }, object, managed: 'apply' },
    undefined,
  ],
  [
    'united-deployment',
    { why, do: 'apply', resource: statefulSets, object, uid: 'u', resourceVersion: '1' },
    undefined,
  ],
  [
    'united-deployment',
    { why, do: 'delete', resource: pods, key, uid: 'u', propagation: 'Background' },
    undefined,
  ],
  [
    'node-pool',
    { why, do: 'delete', resource: pods, key, uid: 'u', propagation: 'Background' },
    'node-pool does not declare that it may delete pods: add it to "writes" of its definition',
  ],
  [
    'united-deployment',
    {
      why,
      do: 'patch',
      resource: deployments,
      key,
      uid: 'u',
      resourceVersion: '1',
      patch: { type: 'merge', body: {} },
      subresource: 'status',
    },
    'united-deployment does not declare that it may patch deployments.apps/status: add it to "writes" of its definition',
  ],
])('%s may send what its definition declares and nothing else', (controller, step, message) => {
  expect(undeclared(step, controller)).toBe(message);
});
