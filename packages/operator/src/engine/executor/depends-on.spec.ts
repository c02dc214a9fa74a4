import { ApiError } from '@atoll/kube';
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

  it('waits for the next plan where that only takes the object back', () => {
    const adopted: StepResult = { step: { ...patched, isPreliminary: true }, did: 'done' };
    expect(isBlockedByFailure(deletion, [adopted])).toBe(true);
    expect(isBlockedByFailure(change, [adopted])).toBe(true);
  });
});
