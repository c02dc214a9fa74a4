import { expect, it } from 'vitest';
import { ApiError, deployments, type KubeObject, type Resource } from '@atoll/kube';
import { failuresOf } from './failures.ts';
import type { Step } from '../step.ts';

const step: Step = {
  do: 'create',
  resource: deployments as Resource<KubeObject>,
  object: { metadata: { name: 'web-hz' } },
  managed: 'apply',
  target: 'hz',
  why: { word: 'ChildCreated', message: '' },
};

type Failing = Pick<ApiError, 'fate' | 'code' | 'reason'>;

it.each<readonly [string, Failing, string, string]>([
  ['a quota', { fate: 'refused', code: 403, reason: 'Forbidden' }, 'ChildRefused', 'if-it-lasts'],
  ['an invalid field', { fate: 'refused', code: 422, reason: 'Invalid' }, 'ChildRefused', 'now'],
  ['an unknown field', { fate: 'refused', code: 400, reason: 'BadRequest' }, 'ChildRefused', 'now'],
  ["somebody's webhook", { fate: 'refused', code: 500, reason: 'InternalError' }, 'ChildRefused', 'never'],
  ['no connection', { fate: 'unsent', code: 0, reason: 'NetworkError' }, 'ServerUnavailable', 'never'],
  ['no answer', { fate: 'in-doubt', code: 0, reason: 'Timeout' }, 'ServerUnavailable', 'never'],
  [
    'a server that starts',
    { fate: 'in-doubt', code: 503, reason: 'ServiceUnavailable' },
    'ServerUnavailable',
    'never',
  ],
  [
    'a server that asks to wait',
    { fate: 'refused', code: 429, reason: 'TooManyRequests' },
    'ServerUnavailable',
    'never',
  ],
])('a step that fails for %s is reported as what it is', (_, failing, reason, stalls) => {
  const error = new ApiError({ message: 'no', ...failing, attempted: 'create' });
  const failures = failuresOf({ results: [{ step, did: 'failed', error }] });
  expect(failures).toMatchObject([{ target: 'hz', reason, stalls }]);
});
