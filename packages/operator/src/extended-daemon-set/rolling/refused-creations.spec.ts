import { ApiError } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { nothingRefused, refusedAfter } from '../../engine/refused-trials.ts';
import type { Step, StepResult } from '../../engine/step.ts';
import { decide } from '../decide.ts';
import { agent, nodesNamed, now, podOn, replicaSet, snapshotOf } from '../extended-daemon-set.fixture.ts';
import { plan } from '../plan.ts';

const active = replicaSet(1);
const old = replicaSet(0);
const names = ['a', 'b', 'c', 'd'];

const answer = new ApiError({
  fate: 'refused',
  code: 403,
  reason: 'Forbidden',
  attempted: 'create pods',
  message: 'maximum memory usage is 1Gi',
});

type Pods = readonly ReturnType<typeof podOn>[];

/** Plans again and again; what the API server takes is there the next time, with a Ready pod. */
function served(rollingUpdate: object, begin: Pods, isRefused: (node: string) => boolean, nodes = names) {
  let pods = begin;
  let refused = nothingRefused;
  let sent: readonly Step[] = [];
  let holds: ReturnType<typeof decide>['holds'] = [];
  for (let round = 0; round < 12; round += 1) {
    const at = now + round * 30_000;
    const strategy = {
      rollingUpdate: { ...rollingUpdate, slowStartIntervalDuration: '1ms', slowStartAdditiveIncrease: 250 },
    };
    const object = agent('agent:1', { strategy });
    const snapshot = snapshotOf({
      object,
      replicaSets: [active],
      nodes: nodesNamed(...nodes),
      pods,
      refused,
    });
    const decision = decide(snapshot, at);
    ({ holds } = decision);
    sent = plan(snapshot, decision, at).stages.flatMap(({ steps }) => steps);
    const results = sent.map((step): StepResult =>
      step.do === 'create' && isRefused(step.target ?? '')
        ? { step, did: 'failed', error: answer }
        : { step, did: 'done' },
    );
    refused = refusedAfter(refused, { results });
    for (const { step, did } of results) {
      const { target: node } = step;
      if (did !== 'done' || node === undefined) continue;
      if (step.do === 'delete') pods = pods.filter(({ spec }) => spec?.nodeName !== node);
      if (step.do === 'create') pods = [...pods, podOn(node, active)];
    }
  }
  const on = pods
    .filter(({ metadata }) => metadata.ownerReferences?.[0]?.uid === active.metadata.uid)
    .flatMap(({ spec }) => spec?.nodeName ?? []);
  return { on: new Set(on), sent, holds };
}

describe('nodes whose pod the API server refuses', () => {
  const onA = (node: string): boolean => node === 'a';

  it('do not keep the others without a pod, and are tried again', () => {
    const { on, sent, holds } = served({ maxParallelPodCreation: 1 }, [], onA);
    expect(on).toEqual(new Set(['b', 'c', 'd']));
    expect(sent).toMatchObject([{ do: 'create', target: 'a' }]);
    expect(holds).toMatchObject([{ reason: 'ChildRefused', targets: ['a'], problem: answer.message }]);
  });

  it('do not stop the rollout of the others', () => {
    const pods = ['b', 'c', 'd'].map((node) => podOn(node, old));
    const { on } = served({ maxParallelPodCreation: 1, maxUnavailable: 3 }, pods, onA);
    expect(on).toEqual(new Set(['b', 'c', 'd']));
  });

  it('get their pod when it is taken', () => {
    let asked = 0;
    const { on, holds } = served({ maxParallelPodCreation: 1 }, [], (node) => {
      if (node === 'a') asked += 1;
      return node === 'a' && asked < 4;
    });
    expect(on).toEqual(new Set(names));
    expect(holds).toEqual([]);
  });

  it('are tried by twenty at a time, in turn, however many there are', () => {
    const nodes = Array.from({ length: 70 }, (_, index) => `n${String(index).padStart(2, '0')}`);
    const tried = new Map<string, number>();
    const { sent } = served(
      {},
      [],
      (node) => {
        tried.set(node, (tried.get(node) ?? 0) + 1);
        return true;
      },
      nodes,
    );
    expect(sent).toHaveLength(20);
    expect(tried.size).toBe(70);
    expect(Math.min(...tried.values())).toBeGreaterThan(2);
  });
});
