// A canary on several nodes, of which some are new: nodes come and go.
import { nodes } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { PlayedCanary } from '../../../../simulation/examples/played-canary.ts';
import { withoutIdentity } from '../../../../simulation/messages/without-identity.ts';
import { ago, node, now, podOn, replicaSet } from '../../extended-daemon-set.fixture.ts';
import { active, trying } from '../canary.fixture.ts';

/** What is decided of a canary that was made so many seconds ago, whose pods were. Its duration is 10m, its noRestartsDuration 5m. */
function decided(made: number, ...podsMade: readonly number[]) {
  const names = ['a', 'b', 'c', 'd'].slice(0, podsMade.length);
  const canary = replicaSet(2, { created: ago(made) });
  const { roles } = trying({
    canary: { replicas: podsMade.length },
    recorded: { replicaSet: 'agent-2', nodes: names },
    nodes: ['a', 'b', 'c', 'd', 'e'].map((name) => node(name)),
    replicaSets: [active, canary],
    pods: names.map((name, index) => podOn(name, canary, { created: ago(podsMade[index] ?? 0) })),
  });
  return roles?.canary?.promotion;
}

describe('a canary with a pod that was made late', () => {
  it('waits for the newest one, for twice its noRestartsDuration at most', () => {
    expect(decided(1199, 700, 700, 1)).toMatchObject({ by: 'age of pods', until: now + 1_001 });
    expect(decided(1199, 700, 700, 299)).toMatchObject({ by: 'age of pods', until: now + 1_001 });
    expect(decided(700, 700, 700, 200)).toMatchObject({ by: 'age of pods', until: now + 100_001 });
    expect(decided(1201, 1000, 1000, 1)).toMatchObject({ promote: true, by: 'time and health' });
  });

  it('says which of its pods it waits for', () => {
    expect(decided(1199, 700, 700, 1)).toMatchObject({
      waitingUntil: 'most of its pods are as old as its noRestartsDuration, which is at 2026-01-01T01:00:01Z',
    });
    expect(decided(700, 700, 700, 200)).toMatchObject({
      waitingUntil: expect.stringContaining('its newest pod is as old as its noRestartsDuration'),
    });
  });

  it('waits for more than half of them however long it takes', () => {
    expect(decided(99_999, 1)).toMatchObject({ by: 'age of pods', until: now + 299_001 });
    expect(decided(99_999, 700, 1)).toMatchObject({ by: 'age of pods', until: now + 299_001 });
    expect(decided(99_999, 700, 1, 2)).toMatchObject({ by: 'age of pods', until: now + 298_001 });
    expect(decided(99_999, 700, 700, 1, 2)).toMatchObject({ by: 'age of pods', until: now + 298_001 });
    expect(decided(99_999, 700, 700, 700, 1)).toMatchObject({ promote: true });
  });
});

it('a canary ends where one of its nodes is replaced every two minutes, as by an autoscaler', () => {
  const played = new PlayedCanary({
    canary: { replicas: '50%', duration: '10m', noRestartsDuration: '5m' },
    nodes: Array.from({ length: 12 }, (_, index) => `n${index}`),
  });
  played.setImage('agent:2');
  played.play();
  for (let round = 0; round < 30 && played.object.status?.state === 'Canary'; round += 1) {
    const gone = played.object.status.canary?.nodes?.[0] ?? '';
    played.world.end(nodes, { name: gone });
    played.world.put(nodes, withoutIdentity(node(`later-${round}`)));
    played.play(120);
  }
  expect(played.object.status?.state).toBe('Running');
});
