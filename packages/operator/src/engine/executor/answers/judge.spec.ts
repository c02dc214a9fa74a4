import { ApiError, daemonSets, deployments, type KubeObject, type Resource, type Stored } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { failuresOf } from '../../problems/failures.ts';
import { isPreconditionFailure, judge, judgeLive } from './judge.ts';
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

describe('a child that is written with 4 replicas', () => {
  const metadata = { namespace: 'ns', name: 'web', uid: 'u', resourceVersion: '2', creationTimestamp: '' };
  const written = (verb: 'create' | 'apply') =>
    ({
      do: verb,
      resource: deployments,
      object: { metadata, spec: { replicas: 4 } },
      uid: 'u',
      why: { word: 'ChildUpdated', message: 'because' },
    }) as unknown as WriteStep;
  const answered = (verb: 'create' | 'apply', replicas: number | undefined) => {
    const object = { metadata, spec: { replicas } } as Stored<KubeObject>;
    return { object, verdict: judge(written(verb), { ok: true, object }) };
  };

  it.each([
    ['create', 'Deployment web was made with 2 replicas in place of 4'],
    ['apply', 'the change of Deployment web to 4 replicas left it with 2'],
  ] as const)('has failed where a webhook leaves fewer, and is seen as it is: %s', (verb, problem) => {
    const { object, verdict } = answered(verb, 2);
    expect(verdict).toMatchObject({
      result: {
        did: 'failed',
        error: {
          fate: 'refused',
          problem: `${problem}. A mutating webhook lowers the number: correct the webhook, or ask for fewer replicas`,
        },
      },
      updates: [{ resource: deployments, present: object }],
    });
  });

  it('is Stalled only where that lasts, because the webhook can be lifted', () => {
    const { verdict } = answered('apply', 2);
    if (!('result' in verdict)) throw new Error('nothing is there to be read back');
    expect(failuresOf({ results: [verdict.result] })).toMatchObject([
      { reason: 'ChildRefused', stalls: 'if-it-lasts' },
    ]);
  });

  it.each([
    ['as many', 4],
    ['more', 5],
    ['an unknown number', undefined],
  ])('is done where it has %s', (_, replicas) => {
    for (const verb of ['create', 'apply'] as const)
      expect(answered(verb, replicas).verdict).toMatchObject({ result: { did: 'done' } });
  });
});
