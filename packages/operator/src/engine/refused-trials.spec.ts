import { ApiError, pods, systemClock } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { nothingToDo } from './plan.ts';
import { endOf } from './reconcile/reconcile-end.ts';
import { isUnexpected, nothingRefused, refusedAfter } from './refused-trials.ts';
import type { Step, StepResult } from './step.ts';

const why = { word: 'PodTried', message: 'it is tried' } as const;

function trialOf(name: string, isRetry?: true): Step {
  const object = { metadata: { namespace: 'edge', name } };
  return {
    do: 'try',
    resource: pods,
    object,
    trial: name,
    why,
    ...(isRetry === undefined ? {} : { isRetry }),
  };
}

function deletionOf(trial: string | undefined, isRetry?: true): Step {
  return {
    do: 'delete',
    resource: pods,
    key: { namespace: 'edge', name: 'x' },
    uid: 'uid',
    propagation: 'Background',
    why,
    ...(trial === undefined ? {} : { trial }),
    ...(isRetry === undefined ? {} : { isRetry }),
  };
}

function answer(code: number): ApiError {
  const reason = code === 403 ? 'Forbidden' : 'ServiceUnavailable';
  return new ApiError({ fate: 'refused', code, reason, attempted: 'create pods', message: 'no' });
}

function failed(step: Step, code: number): StepResult {
  return { step, did: 'failed', error: answer(code) };
}

describe('what is remembered of trials', () => {
  const before = new Map([['a', { answer: answer(403) }]]);

  it.each<[string, readonly StepResult[], readonly string[]]>([
    ['what was refused, with the answer', [failed(trialOf('b'), 403)], ['a', 'b']],
    ['not what was refused before and is taken now', [{ step: trialOf('a', true), did: 'done' }], []],
    ['no more of a trial that was not answered', [failed(trialOf('b'), 503)], ['a']],
    [
      'no less of one that was not sent',
      [{ step: trialOf('a', true), did: 'skipped', because: 'not-leader' }],
      ['a'],
    ],
    ['nothing where nothing is tried any more', [], []],
  ])('is %s', (_, results, remembered) => {
    expect([...refusedAfter(before, { results }).keys()]).toEqual(remembered);
  });

  it('is what a plan goes by, also where it tries nothing', () => {
    const two = new Map([...before, ['b', { answer: answer(403) }]]);
    expect([...refusedAfter(two, { results: [] }, ['b', 'c']).keys()]).toEqual(['b']);
    expect(refusedAfter(before, { results: [] }, ['a'])).toBe(before);
  });

  it('is nothing else than what the plan goes by, or has tried just now, where it names that', () => {
    const three = new Map([...before, ['gone', { answer: answer(403) }], ['named', { answer: answer(403) }]]);
    const results = [failed(trialOf('a', true), 403)];
    expect([...refusedAfter(three, { results }, ['named']).keys()]).toEqual(['a', 'named']);
    expect([...refusedAfter(three, { results }).keys()]).toEqual(['a', 'gone', 'named']);
  });

  // Each with each would be half a billion comparisons.
  it('is kept of very many in a moment', () => {
    const many = new Map(
      Array.from({ length: 30_000 }, (_, index) => [`deletion of ${index}`, { answer: answer(403) }]),
    );
    const since = systemClock.processorMs();
    expect(refusedAfter(many, { results: [] }, [...many.keys()])).toBe(many);
    expect(systemClock.processorMs() - since).toBeLessThan(2_000);
  });

  it('is a deletion as a creation, where it has a name', () => {
    expect([...refusedAfter(nothingRefused, { results: [failed(deletionOf('b'), 403)] }).keys()]).toEqual([
      'b',
    ]);
    expect([...refusedAfter(before, { results: [{ step: deletionOf('a'), did: 'done' }] }).keys()]).toEqual(
      [],
    );
    expect(refusedAfter(nothingRefused, { results: [failed(deletionOf(undefined), 403)] })).toBe(
      nothingRefused,
    );
  });

  it('is the answer as it came', () => {
    const result = failed(trialOf('b'), 403);
    const error = result.did === 'failed' ? result.error : undefined;
    expect(refusedAfter(nothingRefused, { results: [result] }).get('b')?.answer).toBe(error);
  });

  it('is the turn of its first refusal beside the answer, however often it is refused', () => {
    const inTurn = (turn: number): StepResult => failed({ ...trialOf('b'), turn } as Step, 403);
    const first = refusedAfter(nothingRefused, { results: [inTurn(7)] });
    expect(first.get('b')?.turn).toBe(7);
    expect(refusedAfter(first, { results: [inTurn(8)] }).get('b')?.turn).toBe(7);
  });

  it('is the same object where nothing has changed', () => {
    expect(refusedAfter(before, { results: [failed(trialOf('a', true), 403)] })).toBe(before);
    expect(refusedAfter(nothingRefused, { results: [] })).toBe(nothingRefused);
  });
});

describe('a trial with an answer that its plan was not made for', () => {
  it.each<[string, StepResult, boolean]>([
    ['is one that was refused', failed(trialOf('a'), 403), true],
    ['is one that was refused before and is taken now', { step: trialOf('a', true), did: 'done' }, true],
    ['is not one that was taken', { step: trialOf('a'), did: 'done' }, false],
    ['is not one that is refused again', failed(trialOf('a', true), 403), false],
    ['is not one that was not answered', failed(trialOf('a'), 503), false],
    ['is a deletion that was refused', failed(deletionOf('a'), 403), true],
    ['is not one that is deleted after all', { step: deletionOf('a', true), did: 'done' }, false],
    ['is not a deletion that is refused again', failed(deletionOf('a', true), 403), false],
    ['is not a deletion that nobody remembers', failed(deletionOf(undefined), 403), false],
  ])('%s', (_, result, unexpected) => {
    expect(isUnexpected(result)).toBe(unexpected);
    const end = endOf({ results: [result] }, nothingToDo, 0);
    expect(end.afterMs === 0).toBe(unexpected);
  });
});
