import { expect, test } from 'vitest';
import type { TargetAnswers } from './choose-targets.ts';
import { triedAgainAtMost } from './deleted-in-turn.ts';
import { deletionsOf } from './deletions-of.ts';

const start = { do: 'start', revision: 'new' } as const;
const noPlace = {
  do: 'hold',
  reason: 'MaxUnavailableReached',
  waitsFor: 'health',
  waitingUntil: '',
} as const;
const paused = { do: 'hold', reason: 'Paused', waitsFor: 'person', waitingUntil: '' } as const;

test('what was refused is apart from what is deleted for the first time, and named also while it waits for a place', () => {
  const answers: TargetAnswers = [
    ['first', start],
    ['again', start],
    ['waits', noPlace],
    ['refused and waits', noPlace],
    ['refused and paused', paused],
  ];
  const undeletable = new Map(
    ['again', 'refused and waits', 'refused and paused'].map((id) => [id, `of ${id}`]),
  );
  expect(deletionsOf(answers, undeletable)).toEqual({
    deleted: ['first'],
    deletedAgain: ['again'],
    undeleted: ['of again', 'of refused and waits'],
    others: [
      ['first', start],
      ['waits', noPlace],
      ['refused and paused', paused],
    ],
  });
});

test('as many as are tried again at a time', () => {
  const ids = Array.from({ length: triedAgainAtMost + 5 }, (_, index) => `node-${index}`);
  const { deletedAgain, undeleted } = deletionsOf(
    ids.map((id) => [id, start] as const),
    new Map(ids.map((id) => [id, id])),
  );
  expect(deletedAgain).toEqual(ids.slice(0, triedAgainAtMost));
  expect(undeleted).toEqual(ids);
});
