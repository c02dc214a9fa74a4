import { ApiError, deployments, type KubeObject, type Resource } from '@atoll/kube';
import { expect, it } from 'vitest';
import type { Step } from '../../step.ts';
import { nameBadQuantities } from './name-bad-quantities.ts';

const containers = [{ name: 'web', resources: { limits: { memory: '5kk' } } }];
const step: Step = {
  do: 'create',
  resource: deployments as Resource<KubeObject>,
  object: { metadata: { name: 'web-hz' }, spec: { template: { spec: { containers } } } } as KubeObject,
  managed: 'apply',
  why: { word: 'ChildCreated', message: '' },
};

it.each([
  [
    400,
    `unable to parse quantity's suffix`,
    'create: spec.template.spec.containers[0].resources.limits.memory: "5kk" is not a quantity; allowed is a number with an optional suffix, as 1.5, 500m or 2Gi',
  ],
  [400, 'unknown field "x"', 'create: unknown field "x"'],
  [403, 'exceeded quota: quantities', 'create: exceeded quota: quantities'],
])('an answer %i, %s, reads %s', (code, message, expected) => {
  const error = new ApiError({ fate: 'refused', code, reason: 'BadRequest', attempted: 'create', message });
  const named = nameBadQuantities(step, error);
  expect([named.message, named.fate, named.code, named.reason]).toEqual([
    expected,
    'refused',
    code,
    'BadRequest',
  ]);
});
