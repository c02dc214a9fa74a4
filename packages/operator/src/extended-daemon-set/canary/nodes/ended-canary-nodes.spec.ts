// A canary ends, and its nodes are not served yet: the status that ends it must not pass for a rollout that is complete.
import { extendedDaemonSetAnnotations as annotations } from '@atoll/api';
import { expect, it } from 'vitest';
import { PlayedCanary } from '../../../../simulation/examples/played-canary.ts';

/** What `Ready` shows in each status from now on, where it is True. */
function readyMessages({ statuses }: PlayedCanary, from: number): readonly string[] {
  const ready = statuses.slice(from).flatMap(({ conditions = [] }) => {
    return conditions.filter(({ type, status }) => type === 'Ready' && status === 'True');
  });
  return [...new Set(ready.map(({ message = '' }) => message))];
}

function tried(names: readonly string[]): PlayedCanary {
  const played = new PlayedCanary({ nodes: names });
  played.setImage('agent:2');
  played.play(20);
  expect(played.object.status).toMatchObject({ state: 'Canary', canary: { nodes: ['a'] } });
  return played;
}

it('is Ready only when the nodes of a canary whose template was taken back run the active one', () => {
  const played = tried(['a', 'b', 'c']);
  const from = played.statuses.length;
  played.setImage('agent:1');
  played.play(60);
  expect(readyMessages(played, from)).toEqual([
    'all 3 nodes run the current template and their pods are Ready',
  ]);
  expect(played.images).toEqual({ a: 'agent:1', b: 'agent:1', c: 'agent:1' });
});

it('is not Ready while the rolling update of these nodes is paused', () => {
  const played = tried(['a', 'b', 'c']);
  const from = played.statuses.length;
  played.annotate({ [annotations.rollingUpdatePaused]: 'true' });
  played.setImage('agent:1');
  played.play(60);
  expect(readyMessages(played, from)).toEqual([]);
  expect(played.condition('Ready')).toMatchObject({ status: 'False', reason: 'Paused' });
});

it('is not without nodes where the strategy of a canary that has all of them is dropped', () => {
  const played = tried(['a']);
  const from = played.statuses.length;
  played.setCanary(undefined);
  played.play(60);
  expect(readyMessages(played, from)).toEqual([
    'all 1 nodes run the current template and their pods are Ready',
  ]);
});
