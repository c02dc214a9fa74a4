import { extendedDaemonSets, type ExtendedDaemonSetStatus } from '@atoll/api';
import { describe, expect, it } from 'vitest';
import { refusalOf } from '@atoll/kube/testing';
import { refusedRetryMs } from '../../engine/executor/answers/refusals.ts';
import { nothingRefused, refusedAfter } from '../../engine/refused-trials.ts';
import type { StepResult } from '../../engine/step.ts';
import { decide } from '../decide.ts';
import { agent, nodesNamed, now, podOn, replicaSet, snapshotOf } from '../extended-daemon-set.fixture.ts';
import { plan } from '../plan.ts';
import { report } from '../report.ts';

const current = replicaSet(1);

const answer = refusalOf(403, 'delete pods edge/agent-1-a', 'admission webhook "guard" denied the request');

interface Nodes {
  readonly count: number;
  readonly isRefused: (node: string, round: number) => boolean;
  readonly rounds: number;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Nodes with two pods each. What is planned is sent in each round: nothing holds it back. */
function cleanedUp({ count, isRefused, rounds, annotations = {} }: Nodes) {
  const names = Array.from({ length: count }, (_, index) => `n${1000 + index}`);
  let pods = names.flatMap((node) => [
    podOn(node, current),
    podOn(node, current, { name: `second-${node}` }),
  ]);
  let refused = nothingRefused;
  const asked: (readonly string[])[] = [];
  const conditions: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const at = now + round * refusedRetryMs;
    const object = agent('agent:1', { annotations });
    const nodes = nodesNamed(...names);
    const snapshot = snapshotOf({ object, replicaSets: [current], nodes, pods, refused });
    const decision = decide(snapshot, at);
    const planned = plan(snapshot, decision, at);
    const sent = planned.stages.flatMap(({ steps }) =>
      steps.flatMap((step) => (step.do === 'delete' ? step : [])),
    );
    asked.push(sent.map(({ target = '' }) => target));
    const results = sent.map((step): StepResult => {
      const isNo = isRefused(step.target ?? '', round);
      return isNo ? { step, did: 'failed', error: answer } : { step, did: 'done' };
    });
    const gone = new Set(
      results.flatMap(({ step, did }) => (did === 'done' && step.do === 'delete' ? step.uid : [])),
    );
    const written = report(snapshot, decision, { results }, at).find(
      ({ resource }) => resource.plural === extendedDaemonSets.plural,
    );
    const status = written?.status as ExtendedDaemonSetStatus | undefined;
    conditions.push(status?.conditions?.find(({ type }) => type === 'Ready')?.message ?? '');
    pods = pods.filter(({ metadata }) => !gone.has(metadata.uid));
    refused = refusedAfter(refused, { results }, planned.remembers);
  }
  return { asked, conditions, refused, left: pods.length - count };
}

describe('unwanted pods whose deletion the API server refuses', () => {
  it('keep no others from being deleted, however many they are', () => {
    const { asked, left } = cleanedUp({ count: 260, isRefused: (node) => node < 'n1250', rounds: 2 });
    expect(new Set(asked.flat()).size).toBe(260);
    expect(left).toBe(250);
  });

  it('are asked for again by twenty at a time, in turn, and the condition names all of them all the time', () => {
    const { asked, conditions } = cleanedUp({ count: 260, isRefused: () => true, rounds: 16 });
    const again = asked.slice(2);
    expect(new Set(again.map(({ length }) => length))).toEqual(new Set([20]));
    expect(new Set(again.flat()).size).toBe(260);
    expect(new Set(conditions.slice(1))).toEqual(
      new Set([`n1000, n1001, n1002 and 257 more: ${answer.message}`]),
    );
  });

  it('go when they may', () => {
    const { left, refused, conditions } = cleanedUp({
      count: 30,
      isRefused: (_, round) => round < 3,
      rounds: 6,
    });
    expect([left, refused.size]).toEqual([0, 0]);
    expect(conditions.at(-1)).not.toContain('denied');
  });

  it('are remembered while the rollout is frozen, and not asked for', () => {
    const pods = [podOn('a', current), podOn('a', current, { name: 'second-a' })];
    const object = agent('agent:1', {
      annotations: { 'extendeddaemonset.datadoghq.com/rollout-frozen': 'true' },
    });
    const refused = new Map([['deletion of uid-second-a', { answer }]]);
    const snapshot = snapshotOf({ object, replicaSets: [current], nodes: nodesNamed('a'), pods, refused });
    const planned = plan(snapshot, decide(snapshot, now), now);
    expect(planned.stages).toEqual([]);
    expect(planned.remembers).toEqual(['deletion of uid-second-a']);
  });
});
