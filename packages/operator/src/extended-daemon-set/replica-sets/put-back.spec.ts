// The former template is put back while it is not known which replica set is the active one.
import {
  extendedDaemonSetLabels as labels,
  replicaSetConditions as types,
  type ExtendedDaemonSetStatus,
} from '@atoll/api';
import { conditionOf } from '@atoll/kube';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { touched, trying, type Given } from '../canary/canary.fixture.ts';
import { ago, podOn, replicaSet } from '../extended-daemon-set.fixture.ts';

type ReplicaSet = ReturnType<typeof replicaSet>;

function set(n: number, ...conditions: readonly string[]): ReplicaSet {
  const times = { lastTransitionTime: ago(60), lastUpdateTime: ago(60) };
  return replicaSet(n, {
    created: ago(90),
    conditions: conditions.map((type) => ({ type, status: 'True', reason: 'Error', ...times })),
  });
}

const [first, second, third] = [replicaSet(1), replicaSet(2), replicaSet(3)];
const pods = [podOn('a', second), podOn('b', first), podOn('c', first)];

function restored(pod: (typeof pods)[number]): (typeof pods)[number] {
  const of = pod.metadata.ownerReferences?.[0]?.name ?? '';
  return { ...pod, metadata: { ...pod.metadata, labels: { [labels.replicaSet]: of }, ownerReferences: [] } };
}

function lost(given: Given): ReturnType<typeof trying> {
  const bare = { replicaSets: [set(1), set(2)], pods, canary: { duration: '10m' } };
  return trying({ recordedActive: '', recorded: null, ...bare, ...given });
}

/** The replica sets and conditions as they are written. */
function written(
  found: ReturnType<typeof trying>,
  replicaSets: readonly ReplicaSet[],
): Pick<Given, 'replicaSets' | 'conditions'> {
  const { conditions = [] } = found.status as ExtendedDaemonSetStatus;
  const asWritten = (each: ReplicaSet): ReplicaSet => {
    const status = found.ofReplicaSet(each.metadata.name);
    return status === undefined ? each : ({ ...each, status } as ReplicaSet);
  };
  return { conditions, replicaSets: replicaSets.map(asWritten) };
}

/** What is found after it was shown while the template of `agent:2` was in the spec. */
function shown(given: Given = {}): Pick<Given, 'replicaSets' | 'conditions' | 'pods'> {
  const replicaSets = (given.replicaSets ?? [set(1), set(2)]) as readonly ReplicaSet[];
  return { pods, ...given, ...written(lost({ ...given, replicaSets }), replicaSets) };
}

const back = { image: 'agent:1' };

function isUnknown(found: ReturnType<typeof trying>): boolean {
  const status = found.status as ExtendedDaemonSetStatus;
  return conditionOf({ status }, 'ActiveReplicaSetUnknown')?.status === 'True';
}

function problemOf({ holds }: ReturnType<typeof trying>): string {
  return holds.find(({ reason }) => reason === 'ActiveReplicaSetUnknown')?.problem ?? '';
}

describe('the former template is put back while the active replica set is not known', () => {
  it('is the active one, and its pods stay', () => {
    const found = lost({ ...shown(), ...back });
    expect(found.roles).toMatchObject({ active: { metadata: { name: 'agent-1' } }, canary: undefined });
    expect(touched(found)).toEqual([]);
    expect(found.status).toMatchObject({ activeReplicaSet: 'agent-1', state: 'Running' });
    expect(isUnknown(found)).toBe(false);
  });

  it('counts the pods that a tool has restored without an owner', () => {
    const found = lost({ ...shown({ pods: pods.map(restored) }), ...back });
    expect(found.roles?.active?.metadata.name).toBe('agent-1');
  });

  it('is so when the status cannot be written at first, and is forgotten when it is', () => {
    const given = shown();
    const replicaSets = given.replicaSets as readonly ReplicaSet[];
    const ended = written(lost({ ...given, ...back }), replicaSets);
    const again = lost({ ...given, ...back, replicaSets: ended.replicaSets ?? [] });
    expect(again.roles?.active?.metadata.name).toBe('agent-1');
    const recorded = lost({ ...ended, ...back, recordedActive: 'agent-1' });
    expect(recorded.ofReplicaSet('agent-2')).toMatchObject({
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: types.activeReplicaSetUnknown, status: 'False' }),
      ]),
    });
  });

  it('is named in the message', () => {
    expect(problemOf(lost({}))).toBe(
      'status.activeReplicaSet is empty, and each of agent-1, agent-2 may be the active one. No pod is made or deleted until you decide. Write the name of the right one into the status. Or, where that is agent-1, put its template back into the spec. Or run the template in the spec on all nodes: set the annotation extendeddaemonset.datadoghq.com/canary-valid=agent-2',
    );
  });

  it('is so of two that were active, which have as many pods', () => {
    const replicaSets = [set(1, types.active), set(2), set(3, types.active)];
    const given = shown({ replicaSets, pods: [podOn('a', third), podOn('b', first)] });
    expect(lost({ ...given, ...back }).roles?.active?.metadata.name).toBe('agent-1');
    expect(lost({ ...given, image: 'agent:3' }).roles?.active?.metadata.name).toBe('agent-3');
  });

  it('is not recorded as known while others are adopted', () => {
    const given = shown({ replicaSets: [set(1), set(2)] });
    const [own = set(1), other = set(2)] = given.replicaSets as readonly ReplicaSet[];
    const found = lost({ ...given, ...back, replicaSets: [own], orphans: [other] });
    expect(touched(found)).toEqual([]);
    expect(found.status).toMatchObject({ activeReplicaSet: '' });
    expect(isUnknown(found)).toBe(true);
  });

  it.each([
    ['it was in the spec when that was found out', { image: 'agent:1', replicaSets: [set(1), set(2)] }],
    ['the other one has more pods', { pods: [podOn('a', first), podOn('b', second), podOn('c', second)] }],
    ['no pod is left', { pods: [] }],
    [
      'the other one has as many pods, as with a canary on half of the nodes',
      { pods: [podOn('a', first), podOn('b', second)] },
    ],
    ['a third one might be it too', { replicaSets: [set(1), set(2), set(3)] }],
    ['it is shown as one that was tried', { replicaSets: [set(1, types.canary), set(2)] }],
    ['it has failed', { replicaSets: [set(1, types.canaryFailed), set(2)] }],
  ])('waits for a person where %s', (_title, given: Given) => {
    const before = shown({ ...given, pods });
    const after = { ...before, ...(given.pods === undefined ? {} : { pods: given.pods }) };
    const found = lost({ ...after, ...back });
    expect(found.roles?.active).toBeUndefined();
    expect(touched(found)).toEqual([]);
    expect(isUnknown(found)).toBe(true);
  });

  it('ends for no template that was in the spec meanwhile, and for none without the most pods', () => {
    const images = ['agent:1', 'agent:2', 'agent:3'] as const;
    const steps = fc.record({
      image: fc.constantFrom(...images),
      pods: fc.subarray([...pods, podOn('d', third)]),
      isMade: fc.boolean(),
    });
    const endings: { readonly isFormer: boolean; readonly hasPods: boolean }[] = [];
    fc.assert(
      fc.property(fc.array(steps, { minLength: 1, maxLength: 5 }), (following) => {
        let { conditions, replicaSets = [] } = shown();
        const inSpec = new Set<string>(['agent:2']);
        for (const { isMade, ...given } of following) {
          const hasThird = replicaSets.some(({ metadata }) => metadata.name === 'agent-3');
          if (isMade && !hasThird) replicaSets = [...replicaSets, set(3)];
          const found = lost({ ...given, ...(conditions ? { conditions } : {}), replicaSets });
          expect(touched(found)).toEqual([]);
          if (found.roles?.active !== undefined) {
            const owners = given.pods.map(({ metadata }) => metadata.name.slice(0, 'agent-1'.length));
            const hasPods = owners.includes(given.image.replace(':', '-'));
            endings.push({ isFormer: !inSpec.has(given.image), hasPods });
            break;
          }
          if (replicaSets.some(({ spec }) => JSON.stringify(spec.template).includes(given.image)))
            inSpec.add(given.image);
          ({ conditions, replicaSets = [] } = written(found, replicaSets as readonly ReplicaSet[]));
        }
      }),
      { numRuns: 200 },
    );
    expect(endings.length).toBeGreaterThan(0);
    expect(endings.filter(({ isFormer, hasPods }) => !isFormer || !hasPods)).toEqual([]);
  });
});
