import {
  extendedDaemonSetAnnotations as annotations,
  extendedDaemonSetReplicaSets,
  replicaSetConditions,
} from '@atoll/api';
import { pods } from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import { describe, expect, it } from 'vitest';
import { PlayedCanary } from '../../../simulation/examples/played-canary.ts';
import { trueCondition } from '../replica-sets/conditions.ts';

const refused = refusalOf(403, 'patch ExtendedDaemonSet', 'webhook denied');

/** `agent:2` is tried on node a, and a person has paused it. */
function paused(reason: Readonly<Record<string, string>> = {}): PlayedCanary {
  const played = new PlayedCanary();
  played.setImage('agent:2');
  played.play(20);
  played.annotate({ [annotations.canaryPaused]: 'true', ...reason });
  played.play(20);
  expect(played.object.status?.state).toBe('Canary Paused');
  return played;
}

/** Annotations of the object cannot be changed. */
function refuseChanges({ world }: PlayedCanary): void {
  world.refuse = (operation) =>
    operation.verb === 'patch' && !('subresource' in operation) && operation.key.name === 'agent'
      ? refused
      : undefined;
}

it.each([
  ['without a reason', {}],
  ['with a reason', { [annotations.canaryPausedReason]: 'it is night' }],
])('a pause %s ends with the canary that it was meant for: the one that follows runs', (_, reason) => {
  const played = paused(reason);
  played.setImage('agent:3');
  played.play(20);
  expect(played.object.status).toMatchObject({ state: 'Canary', canary: { nodes: ['a'] } });
  expect(played.images).toEqual({ a: 'agent:3', b: 'agent:1', c: 'agent:1' });
  expect(Object.keys(played.object.metadata.annotations ?? {})).toEqual([]);
  expect(played.events).toContainEqual(
    expect.stringContaining('the canary has ended, so its annotations are removed: canary-paused'),
  );
});

it('a pause stays that of the canary before as long as its annotation cannot be removed', () => {
  const played = paused();
  const { name } = played.replicaSetOf('agent:2').metadata;
  refuseChanges(played);
  played.setImage('agent:3');
  played.play(60);
  const before = played.replicaSetOf('agent:2');
  expect(played.object.status?.canary?.replicaSet).toBe(name);
  expect(trueCondition(before, replicaSetConditions.canaryPaused)).toBeDefined();
  played.world.refuse = () => undefined;
  played.play(60);
  expect(played.object.status).toMatchObject({ state: 'Canary' });
  expect(played.images).toMatchObject({ a: 'agent:3' });
});

it('a pause ends with the strategy that had the canary, and holds none that comes later', () => {
  const played = paused();
  played.setCanary(undefined);
  played.play(60);
  expect(played.images).toEqual({ a: 'agent:2', b: 'agent:2', c: 'agent:2' });
  expect(Object.keys(played.object.metadata.annotations ?? {})).toEqual([]);
  played.setCanary({ duration: '1h' });
  played.setImage('agent:3');
  played.play(20);
  expect(played.object.status).toMatchObject({ state: 'Canary' });
});

it('a pause ends with the strategy, also where its annotation cannot be removed at first', () => {
  const played = paused();
  refuseChanges(played);
  played.setCanary(undefined);
  played.play(20);
  played.world.refuse = () => undefined;
  played.play(120);
  expect(Object.keys(played.object.metadata.annotations ?? {})).toEqual([]);
  played.setCanary({ duration: '1h' });
  played.setImage('agent:3');
  played.play(20);
  expect(played.object.status).toMatchObject({ state: 'Canary' });
});

it('a pause that comes with a template is meant for it, where that of the canary before was taken off long ago', () => {
  const played = paused();
  played.removeAnnotation(annotations.canaryPaused);
  played.play(600);
  expect(played.object.status?.state).toBe('Canary Paused');
  const { images } = played;
  played.annotate({ [annotations.canaryPaused]: 'true' });
  played.setImage('agent:3');
  played.play(60);
  expect(played.object.status?.state).toBe('Canary Paused');
  expect(played.images).toEqual(images);
});

/** The kubelet of node a cannot pull the image of its pod any more; false: it can. */
function setStuck({ world }: PlayedCanary, isStuck: boolean): void {
  const pod = world.list(pods).find(({ spec }) => spec?.nodeName === 'a');
  if (pod === undefined) throw new Error('node a has no pod');
  const state = isStuck ? { waiting: { reason: 'ImagePullBackOff' } } : { running: {} };
  world.edit(pods, pod.metadata, (each) => ({
    ...each,
    status: { ...each.status, containerStatuses: [{ name: 'agent', restartCount: 0, state }] },
  }));
}

describe('that a person paused a canary, and took the annotation off, is still known', () => {
  it('while and after its pod cannot start', () => {
    const played = paused();
    played.removeAnnotation(annotations.canaryPaused);
    played.play(20);
    setStuck(played, true);
    played.play(20);
    expect(played.condition('Ready')?.message).toContain('cannot start with reason: ImagePullBackOff');
    expect(played.condition('Degraded')?.status).toBe('True');
    setStuck(played, false);
    played.play(20);
    expect(played.condition('Ready')?.message).toContain(
      'a person paused it; removing the annotation canary-paused is not enough',
    );
    expect(played.condition('Degraded')?.status).toBe('False');
  });

  it.each([
    ['while its pod cannot start', (played: PlayedCanary) => setStuck(played, true)],
    [
      'as 0.4.0 recorded it',
      (played: PlayedCanary) => {
        played.world.edit(extendedDaemonSetReplicaSets, played.replicaSetOf('agent:2').metadata, (each) => {
          const { conditions = [] } = each.status ?? {};
          const words = { message: 'it was paused before' };
          const as040 = conditions.map((found) =>
            found.type === replicaSetConditions.canaryPaused ? { ...found, ...words } : found,
          );
          return { ...each, status: { ...each.status, conditions: as040 } };
        });
      },
    ],
  ])('so that a pause which comes with the next template is meant for that one: %s', (_, change) => {
    const played = paused();
    played.removeAnnotation(annotations.canaryPaused);
    played.play(20);
    change(played);
    played.play(20);
    const { images } = played;
    played.annotate({ [annotations.canaryPaused]: 'true' });
    played.setImage('agent:3');
    played.play(60);
    expect(played.object.status?.state).toBe('Canary Paused');
    expect(played.images).toEqual(images);
  });
});

it('a paused canary whose active replica set is gone goes on when a person lets it', () => {
  const played = paused();
  played.world.end(extendedDaemonSetReplicaSets, played.replicaSetOf('agent:1').metadata);
  played.play(60);
  expect(played.object.status?.state).toBe('Canary Paused');
  played.annotate({ [annotations.canaryPaused]: 'false', [annotations.canaryUnpaused]: 'true' });
  played.play(120);
  expect(played.object.status?.state).toBe('Running');
  expect(played.images).toEqual({ a: 'agent:2', b: 'agent:2', c: 'agent:2' });
});

it('a pause that was taken off again is no advice for the next one', () => {
  const played = paused();
  played.annotate({ [annotations.canaryPaused]: 'false', [annotations.canaryUnpaused]: 'true' });
  played.setCanary({ duration: '10s', noRestartsDuration: '0s' });
  played.play(60);
  expect(played.events).toContain(
    'no canary runs, so the annotations for one are removed: canary-paused, canary-unpaused',
  );
});
