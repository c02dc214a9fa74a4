import { describe, expect, it } from 'vitest';
import { refusalOf } from '@atoll/kube/testing';
import { emptyMemory, type ExecutionEvent } from '../../../engine/executor/commands.ts';
import { beginExecution, continueExecution } from '../../../engine/executor/execution.ts';
import type { Facts } from '../../../engine/executor/facts.ts';
import type { Answer } from '../../../engine/executor/requests/request.ts';
import { executionRules } from '../../../engine/executor/rules.ts';
import { stepId } from '../../../engine/executor/step-id.ts';
import { nothingRefused, refusedAfter } from '../../../engine/refused-trials.ts';
import type { Step, StepResult } from '../../../engine/step.ts';
import { decide } from '../../decide.ts';
import { agent, nodesNamed, now, podOn, replicaSet, snapshotOf } from '../../extended-daemon-set.fixture.ts';
import { plan } from '../../plan.ts';
import { creationName } from './trial-name.ts';

const active = replicaSet(1);
const old = replicaSet(0);
const names = ['a', 'b', 'c', 'd'];

const answer = refusalOf(403, 'create pods', 'maximum memory usage is 1Gi');

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

/** The creations of the next plan that are sent, where these nodes have none because it was refused, and no retry is due. */
function sentBeside(refused: readonly string[], isTaken: (node: string) => boolean): readonly string[] {
  const object = agent('agent:1', {
    strategy: { rollingUpdate: { slowStartIntervalDuration: '1ms', slowStartAdditiveIncrease: 250 } },
  });
  const known = new Map(refused.map((each) => [creationName(active, each), { answer }]));
  const nodes = nodesNamed(...refused, 'new-1', 'new-2', 'new-3');
  const snapshot = snapshotOf({ object, replicaSets: [active], nodes, refused: known });
  const planned = plan(snapshot, decide(snapshot, now), now);
  const steps = planned.stages.flatMap((stage) => stage.steps);
  const again = steps.filter(({ target = '' }) => refused.includes(target));
  const heldBack = new Map(again.map((step) => [stepId(step), answer]));
  const sent: string[] = [];
  const eventsOf = ({ commands }: ReturnType<typeof beginExecution>): readonly ExecutionEvent[] =>
    commands.flatMap((command): readonly ExecutionEvent[] => {
      if (command.command === 'place') return [{ event: 'placed', of: command.of }];
      if (command.command === 'read') return [{ event: 'read', of: command.of, read: { live: object } }];
      if (command.command !== 'send') return [];
      const { target = '' } = command.step;
      sent.push(target);
      const answered = isTaken(target) ? { ok: true, object: undefined } : { ok: false, error: answer };
      return [{ event: 'answered', of: command.of, answer: answered as Answer }];
    });
  const facts: Facts = { leads: true, stopping: false, now, cached: () => 'uncached' };
  const given = { plan: planned, bound: 16, memory: emptyMemory, heldBack };
  let turn = beginExecution(given, facts, executionRules);
  const events = [...eventsOf(turn)];
  for (let event = events.shift(); event !== undefined; event = events.shift()) {
    turn = continueExecution(turn.state, event, facts, executionRules);
    events.push(...eventsOf(turn));
  }
  return sent;
}

describe('many nodes whose pod was refused, and that are not tried again yet', () => {
  const many = Array.from({ length: 12 }, (_, index) => `n${String(index).padStart(2, '0')}`);

  it('keep no other node waiting for that', () => {
    expect(sentBeside(many, () => true)).toEqual(['new-1', 'new-2', 'new-3']);
  });

  it('let one other be refused, and not all: it may be a quota', () => {
    expect(sentBeside(many, () => false)).toEqual(['new-1']);
    expect(sentBeside(many.slice(0, 3), () => false)).toEqual(['new-1', 'new-2', 'new-3']);
  });
});

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

  it('are tried by ten at a time, in turn, however many there are', () => {
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
    expect(sent).toHaveLength(10);
    expect(tried.size).toBe(70);
    expect(Math.min(...tried.values())).toBeGreaterThan(1);
  });
});
