import type { DaemonSet, Stored } from '@atoll/kube';
import { expect, it } from 'vitest';
import { statusPlan } from '../../engine/reconcile/status-plan.ts';
import { StatusPace } from '../../engine/status/status-pace.ts';
import { agent, node, now, podOn, snapshotOf } from '../daemon-set.fixture.ts';
import { decide } from '../decide.ts';
import { report } from '../report.ts';

const names = ['a', 'b', 'c', 'd'];

/** How many of these reconciles write conditions; in each of them these nodes have no Ready pod. */
function writesOf(count: number, everyMs: number, notReady: (round: number) => readonly string[]): number {
  const pace = new StatusPace();
  let object: Stored<DaemonSet> = agent();
  let writes = 0;
  for (let round = 0; round < count; round += 1) {
    const at = now + round * everyMs;
    const pods = names.map((name) =>
      podOn(name, { hash: 'new', generation: 2, ready: !notReady(round).includes(name) }),
    );
    const snapshot = snapshotOf({ object, nodes: names.map((name) => node(name)), pods });
    const wanted = report(snapshot, decide(snapshot, at), { results: [] }, at);
    const { now: going } = pace.sort(wanted, at);
    const steps = statusPlan(going).stages.flatMap((stage) => stage.steps);
    pace.answered(going, { results: steps.map((step) => ({ step, did: 'done' as const })) }, at);
    if (steps.length === 0) continue;
    writes += 1;
    object = { ...object, status: wanted[0]?.status as NonNullable<DaemonSet['status']> };
  }
  return writes;
}

it('conditions of a DaemonSet whose pods become ready one after the other are not written for each', () => {
  expect(writesOf(200, 50, (round) => names.slice(0, 1 + (round % 3)))).toBeLessThanOrEqual(5);
});

it('a message that moves every second is written every five', () => {
  expect(writesOf(20, 1_000, (round) => (round % 2 === 0 ? ['b', 'c'] : ['a']))).toBeLessThanOrEqual(6);
});

it('a condition that turns every second is written six times a minute, then with the pace of all others', () => {
  expect(writesOf(60, 1_000, (round) => (round % 2 === 0 ? [] : ['a']))).toBeLessThanOrEqual(20);
});
