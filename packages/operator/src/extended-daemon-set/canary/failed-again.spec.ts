// A template that has failed, and that GitOps writes again after it was in the spec for long.
import { extendedDaemonSetAnnotations as annotations, extendedDaemonSetReplicaSets } from '@atoll/api';
import { describe, expect, it } from 'vitest';
import { PlayedCanary } from '../../../simulation/examples/played-canary.ts';
import { canaryPod, trying } from './canary.fixture.ts';

/** `agent:2` failed five minutes ago, and is in the spec because the annotation asks for that. */
function held(): PlayedCanary {
  const played = new PlayedCanary();
  played.annotate({ [annotations.onCanaryFailure]: 'Hold' });
  played.setImage('agent:2');
  played.play(20);
  const lastTransitionTime = new Date(played.world.now).toISOString().replace('.000Z', 'Z');
  const failed = { type: 'Canary-Failed', status: 'True', reason: 'Manually failed', lastTransitionTime };
  const { metadata } = played.replicaSetOf('agent:2');
  played.world.edit(extendedDaemonSetReplicaSets, metadata, (found) => ({
    ...found,
    status: { ...found.status, conditions: [...(found.status?.conditions ?? []), failed] },
  }));
  played.play(300);
  expect(played.object.status?.state).toBe('Canary Failed');
  return played;
}

it('fails at once where it is written again within two minutes after it was put back', () => {
  const played = held();
  played.removeAnnotation(annotations.onCanaryFailure);
  played.play(20);
  expect(played.events).toContainEqual(expect.stringContaining('the template goes back'));
  const before = played.statuses.length;
  played.setImage('agent:2');
  played.play(60);
  expect(played.statuses.slice(before).map(({ state }) => state)).toContain('Canary Failed');
  expect(played.statuses.slice(before).map(({ state }) => state)).not.toContain('Canary');
  expect(played.images).toEqual({ a: 'agent:1', b: 'agent:1', c: 'agent:1' });
});

it('is tried again later than that', () => {
  const played = held();
  played.removeAnnotation(annotations.onCanaryFailure);
  played.play(110);
  expect(played.replicaSetOf('agent:2').metadata.deletionTimestamp).toBeUndefined();
  played.play(30);
  const { metadata } = played.replicaSetOf('agent:2');
  expect(metadata.deletionTimestamp).toBeDefined();
  played.world.end(extendedDaemonSetReplicaSets, metadata);
  played.setImage('agent:2');
  played.play(20);
  expect(played.object.status?.state).toBe('Canary');
  // The same in each of its tries, so that the event is counted.
  expect(played.condition('Ready')?.message).toContain('the same template has failed as a canary before');
  expect(played.condition('Ready')?.message).toContain('atoll.dev/on-canary-failure=Hold');
});

describe('one that was promoted later', () => {
  /** `agent:2`, which failed, was promoted, and `agent:3` after it. */
  function followed(): PlayedCanary {
    const played = held();
    played.removeAnnotation(annotations.onCanaryFailure);
    played.play(140);
    played.world.end(extendedDaemonSetReplicaSets, played.replicaSetOf('agent:2').metadata);
    for (const image of ['agent:2', 'agent:3']) {
      played.setImage(image);
      played.play(20);
      played.annotate({ [annotations.canaryValid]: played.replicaSetOf(image).metadata.name });
      played.play(10);
    }
    return played;
  }

  it('is not shown as one that failed where it is put back while the next one is rolled out', () => {
    const played = followed();
    expect(Object.values(played.images)).toContain('agent:2');
    played.setImage('agent:2');
    played.play(20);
    expect(played.object.status?.state).toBe('Canary');
    expect(played.condition('Ready')?.message).not.toContain('has failed');
  });

  it('is not shown as one that failed where it is put back later', () => {
    const played = followed();
    played.play(120);
    const { metadata } = played.replicaSetOf('agent:2');
    expect(metadata.deletionTimestamp).toBeDefined();
    played.world.end(extendedDaemonSetReplicaSets, metadata);
    played.setImage('agent:2');
    played.play(20);
    expect(played.object.status?.state).toBe('Canary');
    expect(played.condition('Ready')?.message).not.toContain('has failed');
  });
});

describe('one that went to all nodes later, while the object had no canary strategy', () => {
  /** `agent:2` is active. `agent:3` follows it by a canary, and `agent:2` comes back when its replica set is gone. */
  function putBackLater(played: PlayedCanary): void {
    expect(Object.values(played.images)).toEqual(['agent:2', 'agent:2', 'agent:2']);
    played.setCanary({ duration: '1h' });
    played.setImage('agent:3');
    played.play(20);
    played.annotate({ [annotations.canaryValid]: played.replicaSetOf('agent:3').metadata.name });
    played.play(200);
    played.world.end(extendedDaemonSetReplicaSets, played.replicaSetOf('agent:2').metadata);
    played.setImage('agent:2');
    played.play(20);
  }

  it('is not shown as one that failed where it was written again', () => {
    const played = held();
    played.removeAnnotation(annotations.onCanaryFailure);
    played.play(140);
    played.world.end(extendedDaemonSetReplicaSets, played.replicaSetOf('agent:2').metadata);
    played.setCanary(undefined);
    played.setImage('agent:2');
    played.play(200);
    putBackLater(played);
    expect(played.object.status?.state).toBe('Canary');
    expect(played.condition('Ready')?.message).not.toContain('has failed');
  });

  it('is not shown as one that failed where it was still in the spec', () => {
    const played = held();
    played.setCanary(undefined);
    played.play(200);
    expect(played.condition('Canary-Failed')?.status).toBe('False');
    putBackLater(played);
    expect(played.object.status?.state).toBe('Canary');
    expect(played.condition('Ready')?.message).not.toContain('has failed');
  });
});

it('is not taken for one that failed where another template is tried', () => {
  const played = held();
  played.removeAnnotation(annotations.onCanaryFailure);
  played.play(140);
  played.setImage('agent:3');
  played.play(20);
  expect(played.object.status?.state).toBe('Canary');
  expect(played.condition('Ready')?.message).not.toContain('has failed');
});

it.each([
  ['no list', {}],
  ['a list with null', [null]],
])(
  'is promoted where a status that another definition stored has conditions that are %s',
  (_, conditions) => {
    const { steps } = trying({ pods: canaryPod(), conditions: conditions as never });
    expect(steps.map(({ why }) => why.word)).toEqual(['CanaryPromoted']);
  },
);
