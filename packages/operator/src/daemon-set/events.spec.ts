import { daemonSetUpdate } from '@atoll/api';
import { expect, it } from 'vitest';
import { agent, node, now, podOn, snapshotOf, upgraded } from './daemon-set.fixture.ts';
import { decide } from './decide.ts';
import { eventsOf } from './events.ts';

const { daemonSetConditions } = daemonSetUpdate;
const nodes = [node('a'), node('b')];

function recorded(status: string | undefined, ofB = upgraded) {
  const object = agent();
  const conditions = status === undefined ? [] : [{ type: daemonSetConditions.upToDate, status }];
  const snapshot = snapshotOf({
    object: { ...object, status: { ...object.status, conditions } as NonNullable<typeof object.status> },
    nodes,
    pods: [podOn('a', upgraded), podOn('b', ofB)],
  });
  return eventsOf(snapshot, decide(snapshot, now), { results: [] }).map(
    ({ reason, note }) => `${reason}: ${note}`,
  );
}

const complete = 'RolloutComplete: all 2 nodes run the current template and their pods are available';

it.each([
  ['False', [complete]],
  ['Unknown', [complete]],
  ['True', []],
  // It was never seen to be anything else.
  [undefined, []],
])('a rollout that is complete is an event while the condition is %s', (status, expected) => {
  expect(recorded(status)).toEqual(expected);
});

it('a rollout that is not complete is none', () => {
  expect(recorded('False', { ...upgraded, ready: false })).toEqual([]);
});
