import type { Pod, Stored } from '@atoll/kube';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { JudgedPod } from '../../children/pods/pod-facts.ts';
import type { FoundSubsetCondition, Windows } from './judgement.ts';
import { judgeScheduling } from './judge-scheduling.ts';
import { after, ago, condition, now, podOf } from './pods.fixture.ts';

const windows: Windows = { criticalMs: 30_000, unschedulableMs: 300_000 };

function judge(pods: readonly JudgedPod[], found?: FoundSubsetCondition, at = now) {
  return judgeScheduling({ pods, condition: found, windows }, at);
}

/** [unschedulable, seconds until it is to be looked at again, status, reason and age of the condition]. */
function summary(pods: readonly JudgedPod[], found?: FoundSubsetCondition) {
  const { unschedulable, requeueAt, condition: next } = judge(pods, found);
  const wait = requeueAt === undefined ? undefined : (requeueAt - now) / 1000;
  const stored = next === undefined ? undefined : `${next.status} ${next.reason} ${next.lastTransitionTime}`;
  return [unschedulable, wait, stored] as const;
}

const stuck = podOf({ state: 'unschedulable', age: 31 });
const fresh = podOf({ state: 'unschedulable', age: 15 });

it.each<
  readonly [string, readonly JudgedPod[], FoundSubsetCondition | undefined, ReturnType<typeof summary>]
>([
  ['T1: a pod that looks for a node has its time', [fresh], undefined, [false, 15, undefined]],
  ['T2: a pod that found none is stuck', [stuck], undefined, [true, 300, `False reschedule ${ago(0)}`]],
  [
    'T3: without stuck pods the window stays open',
    [podOf({ state: 'ready' })],
    condition('False', 60),
    [true, 240, `False reschedule ${ago(60)}`],
  ],
  [
    'T4: after the window a subset has recovered, also if pods are not ready',
    [podOf({ state: 'unready' })],
    condition('False', 360),
    [false, undefined, `True recover ${ago(0)}`],
  ],
  ['no pods say nothing', [], undefined, [false, undefined, undefined]],
  [
    'a stuck pod does not stretch an open window',
    [stuck],
    condition('False', 60),
    [true, 240, `False reschedule ${ago(60)}`],
  ],
  [
    'in an open window a pod has its time, too: others may be no replicas, but what a rollout has beyond them',
    [stuck, fresh],
    condition('False', 60),
    [true, 15, `False reschedule ${ago(60)}`],
  ],
  [
    'a pod that ends makes room for one that is stuck, which has its time for that',
    [stuck, podOf({ state: 'ready', terminating: true })],
    condition('False', 60),
    [true, 30, `False reschedule ${ago(60)}`],
  ],
  [
    'a pod that ends says nothing where none is stuck',
    [podOf({ state: 'ready', terminating: true })],
    condition('False', 60),
    [true, 240, `False reschedule ${ago(60)}`],
  ],
  [
    'a pod that is stuck after the window begins the next',
    [stuck],
    condition('False', 300),
    [true, 300, `False reschedule ${ago(0)}`],
  ],
  [
    'the first stuck pod after a recovery begins a window',
    [stuck],
    condition('True', 60, 'recover'),
    [true, 300, `False reschedule ${ago(0)}`],
  ],
  [
    'a recovered subset stays so',
    [fresh, podOf({ state: 'ready' })],
    condition('True', 60, 'recover'),
    [false, 15, `True recover ${ago(60)}`],
  ],
  [
    'the first of several to lose patience sets the time',
    [fresh, podOf({ state: 'unschedulable', age: 20 })],
    undefined,
    [false, 10, undefined],
  ],
  [
    'a pod is stuck the moment its time is over',
    [podOf({ state: 'unschedulable', age: 30 })],
    undefined,
    [true, 300, `False reschedule ${ago(0)}`],
  ],
  [
    'pods that wait for an image are not stuck',
    [podOf({ state: 'pulling', age: 900 })],
    undefined,
    [false, undefined, undefined],
  ],
  [
    'pods that nobody lets the scheduler look at are not stuck',
    [podOf({ state: 'gated', age: 900 })],
    undefined,
    [false, undefined, undefined],
  ],
  [
    'pods that are going are not stuck',
    [podOf({ state: 'unschedulable', age: 900, terminating: true })],
    undefined,
    [false, undefined, undefined],
  ],
  [
    'a condition without a time is an old one',
    [],
    { type: 'Schedulable', status: 'False' },
    [false, undefined, `True recover ${ago(0)}`],
  ],
])('%s', (_title, pods, found, expected) => {
  expect(summary(pods, found)).toEqual(expected);
});

describe('the judgement', () => {
  it('counts the pods in the first message, and then leaves the message alone', () => {
    expect(judge([stuck, stuck]).condition?.message).toBe('2 pods found no node in time');
    expect(judge([stuck, stuck], condition('False', 60)).condition?.message).toBe('as it was');
  });

  it('returns the same condition when nothing changed', () => {
    const first = judge([stuck]);
    expect(judge([stuck], first.condition)).toEqual({ ...first, marked: true });
    expect(judge([], judge([], condition('False', 900)).condition)).toMatchObject({
      condition: { status: 'True', lastTransitionTime: ago(0) },
    });
  });

  it('survives a restart in the middle of a window', () => {
    const first = judge([stuck]);
    expect(judge([], first.condition, after(299)).unschedulable).toBe(true);
    expect(judge([], first.condition, after(300)).unschedulable).toBe(false);
  });

  it('reserves nothing and labels nothing', () => {
    expect(judge([stuck])).toMatchObject({ reservedPods: 0, stuckPods: 1, labelPods: [] });
  });

  it('takes pods as the cache holds them', () => {
    expectTypeOf<Stored<Pod>>().toExtend<JudgedPod>();
  });
});
