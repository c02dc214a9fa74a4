import { describe, expect, it } from 'vitest';
import type { Finding } from '../causes/finding.ts';
import { hold, joinHolds, type Hold } from '../engine/hold.ts';
import { troubleOf } from '../engine/problems/trouble.ts';
import type { ChildCondition, OwnedChild } from './child.ts';
import { childrenToInspect } from './inspect-child.ts';
import { mostUrgentFirst, podsHold } from './pods-hold.ts';

function childWith(conditions: readonly ChildCondition[] = []): OwnedChild {
  const metadata = {
    name: 'web',
    uid: 'uid-web',
    resourceVersion: '1',
    creationTimestamp: '',
    generation: 3,
  };
  const spec = { replicas: 2, selector: { matchLabels: { app: 'web' } } };
  return { kind: 'Deployment', object: { metadata, spec, status: { conditions } } as OwnedChild['object'] };
}

function found(word: Finding['word'], message = 'pod web-0: so it is'): Finding {
  return { word, message, pods: [], nodes: [] };
}

const waits = hold('WaitingForReady', 'health', ['a'], { waitingUntil: 'the pods are available' }, false);
const late = hold('ProgressDeadlineExceeded', 'health', ['a'], { problem: 'timed out' }, true);
const refusal = { type: 'ReplicaFailure', status: 'True', message: 'exceeded quota: small' };

describe('the hold of a child that waits for its pods', () => {
  it.each([
    ['nothing was found', childWith(), undefined, waits, waits],
    [
      'a container crashes: bad, and may pass',
      childWith(),
      found('CrashLoopBackOff'),
      waits,
      { reason: 'CrashLoopBackOff', problem: 'pod web-0: so it is', bad: true, mayPass: true },
    ],
    [
      'no node has room: not bad',
      childWith(),
      found('PodsUnschedulable'),
      waits,
      { reason: 'PodsUnschedulable', waitsFor: 'nodes', bad: false },
    ],
    [
      'its controller has given up: the cause reports why, and nothing passes any more',
      childWith(),
      found('ProbeFailed'),
      late,
      { reason: 'ProbeFailed', bad: true },
    ],
    [
      'its controller reports that pods are refused, which is newer than what was found',
      childWith([refusal]),
      found('CrashLoopBackOff'),
      late,
      {
        reason: 'QuotaExceeded',
        waitsFor: 'quota',
        problem: 'pods cannot be created: exceeded quota: small',
        bad: true,
      },
    ],
    [
      'the Pod Security level of the namespace forbids them',
      childWith([
        { ...refusal, message: 'pods "web-0" is forbidden: violates PodSecurity "restricted:latest"' },
      ]),
      undefined,
      waits,
      { reason: 'PodSecurityViolation', waitsFor: 'health', bad: true, mayPass: true },
    ],
    ['its deadline has passed, and nothing was found', childWith(), undefined, late, late],
  ] as const)('where %s', (_where, child, finding, otherwise, held) => {
    const is = podsHold(child, finding, otherwise);
    expect(is).toMatchObject(held);
    expect(is.mayPass).toBe('mayPass' in held ? held.mayPass : undefined);
  });

  it('never stalls the object by a cause alone, not even joined with others', () => {
    const cause = podsHold(childWith(), found('ImagePullBackOff'), waits);
    expect(troubleOf(joinHolds([cause, cause]), [], 0)?.stalls).toBe('never');
    expect(troubleOf(joinHolds([cause, late]), [], 0)?.stalls).toBe('if-it-lasts');
  });
});

it('names what is bad first, then what is known, of most children first', () => {
  const holdOf = (reason: Hold['reason'], count: number, bad = false): Hold =>
    hold(reason, 'health', Array.from({ length: count }, String), { problem: '' }, bad);
  const holds = [
    holdOf('WaitingForReady', 9),
    holdOf('ProbeFailed', 1),
    holdOf('PodsUnschedulable', 2),
    holdOf('CrashLoopBackOff', 1, true),
  ];
  expect(mostUrgentFirst(holds).map(({ reason }) => reason)).toEqual([
    'CrashLoopBackOff',
    'PodsUnschedulable',
    'ProbeFailed',
    'WaitingForReady',
  ]);
});

describe('children are inspected', () => {
  const child = childWith();

  it('that wait for their pods, by their own selector', () => {
    expect(childrenToInspect([{ child }], () => waits)).toMatchObject([
      { kind: 'Deployment', name: 'web', uid: 'uid-web', generation: 3, labelSelector: 'app=web', wanted: 2 },
    ]);
  });

  it.each([
    ['is not held', { child }, undefined],
    ['is paused', { child }, hold('Paused', 'person', ['a'], { problem: 'paused' }, false)],
    ['is not there', { child: undefined }, waits],
    [
      'has a selector that cannot be understood',
      { child: { ...child, object: { ...child.object, spec: {} } } },
      waits,
    ],
  ] as const)('but none that %s', (_what, place, held) => {
    expect(childrenToInspect([place], () => held)).toEqual([]);
  });
});
