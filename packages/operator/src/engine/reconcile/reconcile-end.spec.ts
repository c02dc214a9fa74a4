import { describe, expect, it } from 'vitest';
import { ApiError } from '@atoll/kube';
import { children } from '../../../simulation/examples/one-child-per-pool.ts';
import { nothingToDo, type Plan } from '../plan.ts';
import type { Step, StepResult } from '../step.ts';
import { endOf, noLaterThan, type ReconcileEnd } from './reconcile-end.ts';

const now = Date.UTC(2026, 0, 1);
const why = { word: 'ChildCreated', message: 'because' } as const;
const object = { metadata: { namespace: 'edge', name: 'web-a' } };
const step: Step = { do: 'create', why, resource: children, object, managed: 'apply' };
const tried: Step = { do: 'try', why, resource: children, object, trial: 't' };

function failed(code: number, retryAfterMs?: number): StepResult {
  const error = { fate: 'refused', reason: 'Some', attempted: 'x', message: 'no', retryAfterMs } as const;
  return { step, did: 'failed', error: new ApiError({ ...error, code }) };
}

describe('the end of a reconcile', () => {
  const goesOn: Plan = { ...nothingToDo, requeueAt: now };
  const later: Plan = { ...nothingToDo, requeueAt: now + 500 };
  it.each<[string, readonly StepResult[], Plan, Pick<ReconcileEnd, 'end' | 'afterMs'>]>([
    [
      'a retry when the server asked for it last, of several that asked',
      [failed(429, 9_000), failed(429, 2_000)],
      nothingToDo,
      { end: 'retry', afterMs: 9_000 },
    ],
    [
      'a retry where the lease was not renewed',
      [{ step, did: 'skipped', because: 'not-leader' }],
      nothingToDo,
      { end: 'retry' },
    ],
    [
      'a retry where an object was there',
      [{ step, did: 'done', adopted: true }],
      nothingToDo,
      { end: 'retry' },
    ],
    [
      'no retry where the process ends',
      [{ step, did: 'skipped', because: 'stopping' }],
      nothingToDo,
      { end: 'done' },
    ],
    [
      'a refusal that waits for what the plan waits for',
      [failed(422)],
      later,
      { end: 'refused', afterMs: 500 },
    ],
    [
      'a refusal that waits for its retry, where the rest was only tried',
      [failed(422), { step: tried, did: 'done' }],
      goesOn,
      { end: 'refused' },
    ],
  ])('is %s', (_, results, plan, expected) => {
    const { end, afterMs } = endOf({ results }, plan, now);
    expect({ end, afterMs }).toEqual(expected);
  });
});

describe('a status that waits to be written', () => {
  it.each([
    ['later than all else', 9_000, 5_000],
    ['sooner', 2_000, 2_000],
  ])('makes nothing late: %s', (_, dueMs, expected) => {
    const retry = { end: 'retry', because: 'x', atLatestMs: 5_000 } as const;
    expect(noLaterThan(now + dueMs, now, retry)).toEqual({ ...retry, atLatestMs: expected });
    expect(noLaterThan(now + dueMs, now, { end: 'done', afterMs: 5_000 })).toEqual({
      end: 'done',
      afterMs: expected,
    });
  });
});
