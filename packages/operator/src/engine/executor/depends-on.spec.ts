import { ApiError, deployments, statefulSets } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import type { Step, StepResult } from '../step.ts';
import { isBlockedByFailure } from './depends-on.ts';

const patched = { do: 'patch', uid: 'uid-1' } as unknown as Step;
const deletion = { do: 'delete', uid: 'uid-2', dependsOn: ['uid-1'] } as unknown as Step;
const change = { do: 'patch', uid: 'uid-3', dependsOn: ['uid-1'] } as unknown as Step;

function failed(code: number, reason: string): StepResult {
  const error = new ApiError({ fate: 'refused', code, reason, attempted: 'patch', message: 'no' });
  return { step: patched, did: 'failed', error };
}

describe('what depends on the change of an object', () => {
  it.each<readonly [string, StepResult, Readonly<Record<'deletion' | 'change', boolean>>]>([
    ['is done', { step: patched, did: 'done' }, { deletion: false, change: false }],
    ['is refused for good', failed(403, 'Forbidden'), { deletion: true, change: false }],
    ['is not valid', failed(422, 'Invalid'), { deletion: true, change: false }],
    ['is overtaken by another of its quota', failed(409, 'Conflict'), { deletion: true, change: true }],
    ['has its name taken already', failed(409, 'AlreadyExists'), { deletion: false, change: false }],
    ['may be taken later', failed(500, 'InternalError'), { deletion: true, change: true }],
    [
      'comes too late',
      { step: patched, did: 'skipped', because: 'plan-outdated' },
      { deletion: true, change: true },
    ],
  ])('waits or not, where that %s', (_, result, waits) => {
    expect(isBlockedByFailure(deletion, [result])).toBe(waits.deletion);
    expect(isBlockedByFailure(change, [result])).toBe(waits.change);
  });

  it('waits also where the object would be applied, if it is deleted then', () => {
    const result = failed(403, 'Forbidden');
    const applied = { do: 'apply', uid: 'uid-1' } as unknown as Step;
    expect(isBlockedByFailure(deletion, [{ ...result, step: applied }])).toBe(true);
    expect(isBlockedByFailure(change, [{ ...result, step: applied }])).toBe(false);
  });

  it('waits for the next plan where that only takes the object back', () => {
    const adopted: StepResult = { step: { ...patched, isPreliminary: true }, did: 'done' };
    expect(isBlockedByFailure(deletion, [adopted])).toBe(true);
    expect(isBlockedByFailure(change, [adopted])).toBe(true);
  });
});

describe('what is made under the name of an object that is deleted before', () => {
  const object = { metadata: { namespace: 'edge', name: 'web' } };
  const why = { word: 'ChildCreated', message: 'another kind is wanted' } as const;
  const create: Step = {
    do: 'create',
    why,
    resource: deployments,
    object,
    managed: 'apply',
    dependsOn: ['uid-1'],
  };
  const refusedDeletion = (resource: typeof deployments, name: string): StepResult => {
    const key = { namespace: 'edge', name };
    const step: Step = { do: 'delete', why, resource, key, uid: 'uid-1', propagation: 'Background' };
    return { ...failed(403, 'Forbidden'), step };
  };

  it('waits where the deletion is refused, because the name is taken', () => {
    expect(isBlockedByFailure(create, [refusedDeletion(deployments, 'web')])).toBe(true);
  });

  it('does not wait for the deletion of an object with another name, or of another kind', () => {
    expect(isBlockedByFailure(create, [refusedDeletion(deployments, 'db')])).toBe(false);
    const sets = statefulSets as typeof deployments;
    expect(isBlockedByFailure(create, [refusedDeletion(sets, 'web')])).toBe(false);
  });
});
