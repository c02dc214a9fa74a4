import { ApiError, daemonSets, type KubeObject, type Resource } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { isPreconditionFailure, judgeLive } from './judge.ts';
import type { WriteStep } from '../requests/request.ts';

function refused(code: number, reason: string, ...fields: readonly string[]): ApiError {
  const causes = fields.map((field) => ({ reason: 'FieldValueInvalid', message: 'is wrong', field }));
  const status = fields.length === 0 ? {} : { status: { details: { causes } } };
  return new ApiError({ fate: 'refused', code, reason, attempted: 'apply', message: 'no', ...status });
}

it.each([
  ['a conflict', refused(409, 'Conflict'), true],
  ['422 on the uid: another object has the name', refused(422, 'Invalid', 'metadata.uid'), true],
  ['422 on the uid among others', refused(422, 'Invalid', 'spec.x', 'metadata.uid'), true],
  ['422 on a field of the spec', refused(422, 'Invalid', 'spec.replicas'), false],
  ['422 without causes', refused(422, 'Invalid'), false],
  ['a quota', refused(403, 'Forbidden', 'metadata.uid'), false],
])('whether the object is not as it was planned for: %s', (_, error, is) => {
  expect(isPreconditionFailure(error)).toBe(is);
});

describe('conditions whose answer was lost', () => {
  const condition = (type: string, reason: string) =>
    ({ type, status: 'True', reason, message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }) as const;
  const step: WriteStep = {
    do: 'conditions',
    resource: daemonSets as Resource<KubeObject>,
    key: { namespace: 'edge', name: 'agent' },
    uid: 'u',
    conditions: [condition('UpToDate', 'New')],
    types: ['UpToDate', 'Stalled'],
    fieldManager: 'atoll-conditions',
    why: { word: 'StatusOutdated', message: 'because' },
  };
  const lost = new ApiError({
    fate: 'in-doubt',
    code: 0,
    reason: 'Timeout',
    attempted: 'apply',
    message: 'no answer',
  });

  it.each([
    ['all are as they should be', [condition('UpToDate', 'New')], 'done'],
    ['also beside one of somebody else', [condition('UpToDate', 'New'), condition('Foreign', 'Any')], 'done'],
    ['one is as it was', [condition('UpToDate', 'Old')], 'failed'],
    ['one is missing', [], 'failed'],
    ['one that is to go is there', [condition('UpToDate', 'New'), condition('Stalled', 'Old')], 'failed'],
  ])('count as written only where the object has them: %s', (_, conditions, did) => {
    const metadata = {
      namespace: 'edge',
      name: 'agent',
      uid: 'u',
      resourceVersion: '2',
      creationTimestamp: '',
    };
    const live = { metadata, status: { conditions } };
    expect(judgeLive(step, lost, live).result.did).toBe(did);
  });
});
