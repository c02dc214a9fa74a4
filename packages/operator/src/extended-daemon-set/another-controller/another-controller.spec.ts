import type { ExtendedDaemonSetReplicaSet } from '@atoll/api';
import type { Stored } from '@atoll/kube';
import { describe, expect, it, test } from 'vitest';
import { decide } from '../decide.ts';
import { agent, ago, nodesNamed, now, replicaSet, snapshotOf } from '../extended-daemon-set.fixture.ts';
import { keysForReplicaSet } from '../keys-for-event.ts';
import { plan } from '../plan.ts';
import { report } from '../report.ts';
import { conflictOf, quietMs } from './conflict.ts';
import { foreignWrites, lastForeignWrite, type ForeignWrite } from './foreign-write.ts';

type Written = readonly [
  manager: string,
  subresource: string,
  seconds: number,
  operation?: 'Apply' | 'Update',
];

function written(...writes: readonly Written[]): Stored<ExtendedDaemonSetReplicaSet> {
  const found = replicaSet(1);
  const managedFields = writes.map(([manager, subresource, seconds, operation = 'Update']) => ({
    manager,
    subresource,
    operation,
    time: ago(seconds),
  }));
  return { ...found, metadata: { ...found.metadata, managedFields } };
}

describe('a replica set is written by somebody else', () => {
  it.each<readonly [string, readonly Written[], string | undefined]>([
    ['where the old operator made it', [['eds-controller', '', 5]], 'eds-controller'],
    ['where it wrote the status', [['eds-controller', 'status', 5]], 'eds-controller'],
    ['where a build under another name did', [['manager', 'status', 5]], 'manager'],
    ['but not where we did', [['atoll', 'status', 5]], undefined],
    [
      'nor by a person',
      [
        ['kubectl-edit', 'status', 5],
        ['kubectl-eds', 'status', 5],
      ],
      undefined,
    ],
    ['nor by the command line of ours', [['atoll-eds', 'status', 5, 'Apply']], undefined],
    ['nor by one of 0.7.0 or older', [['kubectl-eds', 'status', 5, 'Apply']], undefined],
    ['nor where the garbage collector did', [['kube-controller-manager', '', 5]], undefined],
  ])('%s', (_, writes, by) => {
    expect(lastForeignWrite(foreignWrites([written(...writes)]))?.by).toBe(by);
  });

  it('at the time of the last of several', () => {
    const both = [written(['eds-controller', 'status', 50]), written(['eds-controller', 'status', 5])];
    expect(lastForeignWrite(foreignWrites(both))?.at).toBe(now - 5_000);
  });
});

describe('an object is left to another controller', () => {
  const by = (seconds: number) => ({ by: 'eds-controller', at: now - 1_000 * seconds, replicaSet: 'x' });
  const some = (write: ForeignWrite | undefined) => (write === undefined ? [] : [write]);
  const made = (seconds: number) => ({
    metadata: { ...agent('x').metadata, creationTimestamp: ago(seconds) },
  });

  it.each([
    ['wrote a moment ago', by(1), 10, true],
    ['was to write again', by(59), 10, true],
    ['is silent for a minute', by(60), 10, false],
    ['writes seldom', by(800), 300, true],
    ['writes seldom, and is silent', by(900), 300, false],
    ['never wrote', undefined, 10, false],
    ['wrote by a clock that is a little ahead', by(-59), 10, true],
    ['wrote by a clock that was far ahead', by(-7_200), 10, false],
  ])('that %s', (_, own, everySeconds, held) => {
    const conflict = conflictOf(made(9_000), { own: some(own), elsewhere: [] }, 1_000 * everySeconds, now);
    const until = own && own.at + Math.max(quietMs, 3_000 * everySeconds);
    expect(conflict?.until).toBe(held ? until : undefined);
  });

  it.each([
    ['is at work elsewhere, for a minute after it was made', by(1), 59, true],
    ['is at work elsewhere and has let it alone', by(1), 60, false],
    ['was at work elsewhere', by(60), 1, false],
  ])('that %s', (_, elsewhere, age, held) => {
    const conflict = conflictOf(made(age), { own: [], elsewhere: [elsewhere] }, 10_000, now);
    expect(conflict?.until).toBe(held ? now - 1_000 * age + quietMs : undefined);
  });
});

it('a write of a clock that was ahead does not hide that another controller is at work', () => {
  const [ahead, recent] = [-7_200, 1].map((seconds) => ({
    by: 'eds-controller',
    at: now - 1_000 * seconds,
    replicaSet: 'x',
  })) as [ForeignWrite, ForeignWrite];
  const conflict = conflictOf(agent('x'), { own: [ahead, recent], elsewhere: [] }, 10_000, now);
  expect(conflict?.until).toBe(recent.at + quietMs);
});

describe('what is left to another controller', () => {
  const own = { by: 'eds-controller', at: now - 1_000, replicaSet: 'agent-1' };
  const setting = {
    metadata: { ...agent('x').metadata, name: 'large', uid: 'uid-large' },
    spec: { reference: { kind: 'E', name: 'agent' }, nodeSelector: {}, containers: [] },
  };
  // Without a pod, of another template, with a canary's annotation: there would be much to do.
  const snapshot = snapshotOf({
    object: agent('agent:2', { status: { desired: 3, state: 'Running' } }),
    nodes: nodesNamed('a', 'b'),
    replicaSets: [replicaSet(0), replicaSet(1)],
    settings: [setting],
    foreignWrites: { own: [own], elsewhere: [] },
  });
  const decision = decide(snapshot, now);

  test('gets no write but of conditions that report it, and is looked at again when the sign is old', () => {
    const { stages, requeueAt, holds } = plan(snapshot, decision, now);
    expect([stages, requeueAt]).toEqual([[], own.at + quietMs]);
    expect(holds).toMatchObject([{ reason: 'ServedByAnotherController', waitsFor: 'person', bad: true }]);
    const [only, ...more] = report(snapshot, decision, { results: [] }, now);
    expect(more).toEqual([]);
    expect(only?.status).toMatchObject({
      desired: 3,
      state: 'Running',
      activeReplicaSet: 'agent-1',
      observedGeneration: 2,
      conditions: expect.arrayContaining([
        expect.objectContaining({
          type: 'Ready',
          status: 'False',
          reason: 'ServedByAnotherController',
          message:
            'another controller, eds-controller, serves it and wrote the replica set agent-1. Stop that one, or start Atoll with --controllers=-extended-daemon-set; waiting until it has written nothing for 60 s',
        }),
        expect.objectContaining({ type: 'Stalled', status: 'True' }),
      ]),
    });
  });

  test('is ours as soon as it is silent', () => {
    const later = now + quietMs;
    expect(decide(snapshot, later).conflict).toBeUndefined();
    expect(plan(snapshot, decide(snapshot, later), later).stages).not.toEqual([]);
  });
});

it('a replica set enqueues its object when another controller begins to write it, and not with each write', () => {
  const owners = { get: () => agent('agent:1') } as never;
  const keys = (old: ReturnType<typeof written>, object: ReturnType<typeof written>) =>
    keysForReplicaSet(owners, { type: 'updated', old, object });
  const at = (seconds: number) => written(['eds-controller', 'status', seconds]);
  expect(keys(written(), at(0))).toEqual(['edge/agent']);
  expect(keys(at(600), at(0))).toEqual(['edge/agent']);
  expect(keys(at(10), at(0))).toEqual([]);
  expect(keys(at(-7_200), at(0))).toEqual(['edge/agent']);
});
