import type { ApiError } from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import { describe, expect, it } from 'vitest';
import { PlayedCanary } from '../../../../simulation/examples/played-canary.ts';
import type { RefusedTrials } from '../../../engine/refused-trials.ts';
import { ago, node, nodesNamed, podOn } from '../../extended-daemon-set.fixture.ts';
import { creationName, trialName } from '../../rolling/refusals/trial-name.ts';
import { active, canaryPod, touched, tried, trying } from '../canary.fixture.ts';

function denied(message = 'a policy denied it'): ApiError {
  return refusalOf(403, 'create Pod', message);
}

/** The trials of the canary's pod on these nodes, all refused. */
function triedOn(...names: readonly string[]): RefusedTrials {
  const overrides = { hash: undefined, nodeHash: undefined, setting: undefined };
  return new Map(
    names.map((id) => {
      const target = { overrides, target: { id } } as unknown as Parameters<typeof trialName>[1];
      return [trialName(tried, target), { answer: denied() }] as const;
    }),
  );
}

/** The creation of the canary's pod on a node, refused. */
function madeOn(name: string, answer = denied()): RefusedTrials {
  return new Map([[creationName(tried, name), { answer }]]);
}

const canary = { duration: '1h' };
const untouched = ['a', 'b', 'c'].map((name) => podOn(name, active));

describe('a canary whose pods are refused on all of its nodes', () => {
  it('has one status, however many they are', () => {
    const played = new PlayedCanary({
      canary: { duration: '1h', replicas: 4 },
      nodes: ['a', 'b', 'c', 'd', 'e', 'f'],
    });
    for (const name of ['e', 'f'])
      played.setNode(name, (found) => ({
        ...found,
        ...node(name, { awaySince: ago(0) }),
        metadata: found.metadata,
      }));
    played.world.refuse = ({ verb, resource }) =>
      verb === 'create' && resource.plural === 'pods' ? denied() : undefined;
    played.setImage('agent:2');
    played.play(60);
    const { length } = played.statuses;
    played.play(600);
    expect(played.statuses.length).toBe(length);
    expect(played.object.status?.canary?.nodes).toEqual(['a', 'b', 'c', 'd']);
    expect(played.condition('Ready')?.message).toContain('a policy denied it');
  });
});

describe('a canary whose pod is refused on a node', () => {
  it('takes another node, and remembers the refusal, so that it does not come back', () => {
    const found = trying({ canary, pods: untouched, refused: triedOn('a') });
    expect(found.status).toMatchObject({ canary: { replicaSet: 'agent-2', nodes: ['b'] } });
    // Until that is recorded, no pod is touched.
    expect(touched(found)).toEqual([]);
    expect(found.remembers).toEqual([...triedOn('a').keys()]);
    const recorded = { replicaSet: 'agent-2', nodes: ['b'] };
    const then = trying({ canary, recorded, pods: untouched, refused: triedOn('a') });
    expect(then.status).toMatchObject({ canary: recorded });
    expect(touched(then)).toEqual(['b']);
    expect(then.remembers).toEqual([...triedOn('a').keys()]);
  });

  it('leaves the node where its old pod is gone, and that comes back', () => {
    const pods = untouched.slice(1);
    expect(trying({ canary, pods, refused: madeOn('a') }).status).toMatchObject({ canary: { nodes: ['b'] } });
    const recorded = { replicaSet: 'agent-2', nodes: ['b'] };
    const then = trying({ canary, recorded, pods, refused: madeOn('a') });
    expect(then.steps).toContainEqual(
      expect.objectContaining({
        do: 'create',
        target: 'a',
        why: expect.objectContaining({ message: expect.stringContaining('agent-1') }),
      }),
    );
  });

  it('has no more nodes than it is to have, and keeps those where its pods run', () => {
    const recorded = { replicaSet: 'agent-2', nodes: ['a', 'b'] };
    const pods = [podOn('a', tried), podOn('b', active), podOn('c', active)];
    const found = trying({ canary: { ...canary, replicas: 2 }, recorded, pods, refused: triedOn('b') });
    expect(found.status).toMatchObject({ canary: { nodes: ['a', 'c'] } });
  });

  it('keeps the node where no other one can take its place, and names it', () => {
    const nodes = [node('a')];
    const found = trying({ canary, nodes, pods: [podOn('a', active)], refused: triedOn('a') });
    expect(found.status).toMatchObject({ canary: { nodes: ['a'] } });
    expect(found.holds).toContainEqual(expect.objectContaining({ reason: 'ChildRefused', targets: ['a'] }));
    expect(touched(found)).toEqual([]);
  });

  it('keeps the node that was refused last where all were', () => {
    const recorded = { replicaSet: 'agent-2', nodes: ['b'] };
    const found = trying({ canary, recorded, pods: untouched, refused: triedOn('a', 'b', 'c') });
    expect(found.status).toMatchObject({ canary: recorded });
  });

  it('leaves three nodes and no more: what refuses four is not a matter of the node', () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const nodes = nodesNamed(...names);
    const pods = names.map((name) => podOn(name, active));
    const moved = (of: string, ...refused: readonly string[]) =>
      trying({
        canary,
        nodes,
        pods,
        recorded: { replicaSet: 'agent-2', nodes: [of] },
        refused: triedOn(...refused),
      }).status;
    expect(moved('c', 'a', 'b', 'c')).toMatchObject({ canary: { nodes: ['d'] } });
    expect(moved('d', 'a', 'b', 'c', 'd')).toMatchObject({ canary: { nodes: ['d'] } });
  });

  it('keeps a node on which its pod runs, with overrides that are no longer those of the node', () => {
    const pods = canaryPod({ annotations: { 'atoll.dev/overrides-hash': 'other' }, created: ago(600) });
    expect(trying({ canary, pods, refused: triedOn('a') }).status).toMatchObject({
      canary: { nodes: ['a'] },
    });
  });

  it.each(['exceeded quota: pods, used 3', 'webhook does not support dry run'])(
    'keeps its node where the answer says nothing of it: %s',
    (message) => {
      const found = trying({ canary, pods: untouched.slice(1), refused: madeOn('a', denied(message)) });
      expect(found.status).toMatchObject({ canary: { nodes: ['a'] } });
    },
  );
});
