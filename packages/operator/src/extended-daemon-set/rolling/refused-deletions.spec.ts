import { extendedDaemonSets, extendedDaemonSetReplicaSets } from '@atoll/api';
import { ApiError, type Stored } from '@atoll/kube';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isBlockedByFailure } from '../../engine/executor/depends-on.ts';
import { nothingRefused, refusedAfter } from '../../engine/refused-trials.ts';
import type { Step, StepResult } from '../../engine/step.ts';
import { decide } from '../decide.ts';
import {
  agent,
  ago,
  node,
  nodesNamed,
  now,
  podOn,
  replicaSet,
  snapshotOf,
} from '../extended-daemon-set.fixture.ts';
import { plan } from '../plan.ts';
import { report } from '../report.ts';

const [old, current] = [replicaSet(0), replicaSet(1)];
const names = ['a', 'b', 'c', 'd', 'e'];

const answer = new ApiError({
  fate: 'refused',
  code: 403,
  reason: 'Forbidden',
  attempted: 'delete pods edge/agent-0-a',
  message: 'admission webhook "guard" denied the request',
});

interface Fleet {
  readonly maxUnavailable?: number | string;
  readonly nodes?: readonly string[];
  /** Nodes whose pod is not Ready at first. */
  readonly broken?: readonly string[];
  /** Those of them whose container fails again and again. */
  readonly crashing?: readonly string[];
  /** Asked for each deletion of a node's pod that is sent. */
  readonly isRefused: (node: string, round: number) => boolean;
  /** So many rounds a new pod needs to be Ready. */
  readonly starts?: number;
  readonly rounds?: number;
  readonly everyMs?: number;
  readonly reconcileFrequency?: string;
}

/** A rollout in rounds. What is planned is sent in each: nothing holds it back. */
function rolledOut({
  maxUnavailable = 1,
  nodes = names,
  broken = [],
  crashing = [],
  isRefused,
  starts = 1,
  rounds = 60,
  everyMs = 10_000,
  reconcileFrequency = '10s',
}: Fleet) {
  let active = current;
  let pods = nodes.map((node) => {
    const waiting = crashing.includes(node) ? { waiting: 'CrashLoopBackOff' } : {};
    return podOn(node, old, { ready: !broken.includes(node), ...waiting });
  });
  const startedIn = new Map<string, number>();
  let refused = nothingRefused;
  let most = 0;
  const conditions: string[] = [];
  const asked: string[] = [];
  const deletedAt: number[] = [];
  let sent: readonly Step[] = [];
  let records = 0;
  let holds: ReturnType<typeof decide>['holds'] = [];
  for (let round = 0; round < rounds; round += 1) {
    const at = now + round * everyMs;
    pods = pods.map((pod) => {
      const node = pod.spec?.nodeName ?? '';
      return startedIn.get(node) === round - starts ? podOn(node, active) : pod;
    });
    const rollingUpdate = {
      maxUnavailable,
      slowStartIntervalDuration: '1ms',
      slowStartAdditiveIncrease: 250,
    };
    const object = agent('agent:1', { strategy: { rollingUpdate, reconcileFrequency } });
    const found = { object, replicaSets: [old, active], nodes: nodesNamed(...nodes), pods };
    const snapshot = snapshotOf({ ...found, refused });
    const decision = decide(snapshot, at);
    const planned = plan(snapshot, decision, at);
    sent = planned.stages.flatMap(({ steps }) => steps);
    const results: StepResult[] = [];
    for (const step of sent) {
      const isDeletion = step.do === 'delete' && step.resource.plural === 'pods';
      if (isBlockedByFailure(step, results)) {
        results.push({ step, did: 'skipped', because: 'earlier-stage-failed' });
        continue;
      }
      if (isDeletion) asked.push(step.target ?? '');
      const no = isDeletion && isRefused(step.target ?? '', round);
      results.push(no ? { step, did: 'failed', error: answer } : { step, did: 'done' });
      if (isDeletion && !no) deletedAt.push(at);
    }
    refused = refusedAfter(refused, { results }, planned.remembers);
    for (const { step, did } of results) {
      const { target: node } = step;
      if (
        did === 'done' &&
        step.do === 'patch' &&
        step.resource.plural === extendedDaemonSetReplicaSets.plural
      ) {
        records += 1;
        const { status } = (step.patch as { body: { status: typeof active.status } }).body;
        active = { ...active, status } as typeof active;
      }
      if (did !== 'done' || node === undefined) continue;
      if (step.do === 'delete') pods = pods.filter(({ spec }) => spec?.nodeName !== node);
      if (step.do !== 'create') continue;
      pods = [...pods, podOn(node, active, { ready: starts === 0 })];
      startedIn.set(node, round);
    }
    const again = snapshotOf({ ...found, replicaSets: [old, active], pods, refused });
    const decided = decide(again, at);
    ({ holds } = decided);
    const written = report(again, decided, { results }, at).find(
      ({ resource }) => resource.plural === extendedDaemonSets.plural,
    );
    const status = written?.status as Stored<ReturnType<typeof agent>>['status'];
    conditions.push(status?.conditions?.find(({ type }) => type === 'Ready')?.message ?? '');
    const ready = new Set(
      pods.flatMap(({ spec, status: of }) =>
        of?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true
          ? (spec?.nodeName ?? [])
          : [],
      ),
    );
    most = Math.max(most, nodes.length - ready.size);
  }
  const on = pods
    .filter(({ metadata }) => metadata.ownerReferences?.[0]?.uid === current.metadata.uid)
    .flatMap(({ spec }) => spec?.nodeName ?? [])
    .sort();
  return { on, sent, holds, most, conditions, asked, records, deletedAt };
}

const onA = (node: string): boolean => node === 'a';

describe('a pod whose deletion the API server refuses', () => {
  it('does not stop the rollout of the others, and stays named', () => {
    const { on, holds, conditions, most } = rolledOut({ isRefused: onA });
    expect(on).toEqual(['b', 'c', 'd', 'e']);
    expect(most).toBe(1);
    expect(holds).toMatchObject([{ reason: 'PodRefused', targets: ['a'], problem: answer.message }]);
    expect(new Set(conditions)).toEqual(new Set([`a: ${answer.message}`]));
  });

  it('is asked for again when there is a place, and goes when it may', () => {
    const { on, holds } = rolledOut({ isRefused: (node, round) => node === 'a' && round < 50 });
    expect(on).toEqual(names);
    expect(holds).toEqual([]);
  });

  it('costs no write at rest', () => {
    const most = rolledOut({ isRefused: onA, rounds: 50 }).records;
    expect(rolledOut({ isRefused: onA, rounds: 100 }).records).toBe(most);
  });

  it('does not keep a healthy one that the budget allows from being replaced where it is broken', () => {
    const { on, most } = rolledOut({ isRefused: onA, broken: ['a'], maxUnavailable: 2 });
    expect(on).toEqual(['b', 'c', 'd', 'e']);
    expect(most).toBe(2);
  });

  it('spends the budget while it is broken', () => {
    const { on, most, conditions } = rolledOut({ isRefused: onA, broken: ['a'] });
    expect(on).toEqual([]);
    expect(most).toBe(1);
    expect(new Set(conditions)).toEqual(new Set([`a: ${answer.message}`]));
  });

  it('does not keep another one that is not Ready from being replaced, whatever is wrong with each', () => {
    const { on, most } = rolledOut({ isRefused: onA, broken: ['a', 'b'], crashing: ['a'] });
    expect(on).toEqual(['b']);
    expect(most).toBe(2);
  });

  it('keeps the interval between batches when it may go', () => {
    const fleet = { isRefused: (_: string, round: number) => round < 300, rounds: 600, everyMs: 15_000 };
    const { on, deletedAt } = rolledOut({ ...fleet, reconcileFrequency: '10m' });
    expect(on).toEqual(names);
    const between = deletedAt.slice(1).map((at, index) => at - (deletedAt[index] ?? 0));
    expect(Math.min(...between)).toBeGreaterThanOrEqual(10 * 60_000);
  });

  it.each([
    ['the rollout is paused', { 'extendeddaemonset.datadoghq.com/rolling-update-paused': 'true' }, {}],
    ['the rollout is frozen', { 'extendeddaemonset.datadoghq.com/rollout-frozen': 'true' }, {}],
    ['its node is not Ready', {}, { awaySince: ago(30) }],
  ])('is remembered while %s, so that it is last again', (_, annotations, away) => {
    const pods = [podOn('a', old), podOn('b', current)];
    const refused = new Map(
      ['deletion of uid-agent-0-a', 'deletion of a pod that is gone'].map((each) => [each, { answer }]),
    );
    const object = agent('agent:1', { annotations });
    const nodes = [node('a', away), node('b')];
    const snapshot = snapshotOf({ object, replicaSets: [old, current], nodes, pods, refused });
    const planned = plan(snapshot, decide(snapshot, now), now);
    expect(planned.stages).toEqual([]);
    expect(planned.remembers).toEqual(['deletion of uid-agent-0-a']);
  });

  it('is one of twenty that are asked for at a time, in turn, where all are refused', () => {
    const nodes = Array.from({ length: 70 }, (_, index) => `n${String(index).padStart(2, '0')}`);
    const { asked, sent, conditions } = rolledOut({
      nodes,
      maxUnavailable: '100%',
      isRefused: () => true,
      rounds: 100,
    });
    expect(new Set(asked).size).toBe(70);
    expect(sent.filter((step) => step.do === 'delete')).toHaveLength(20);
    expect(new Set(conditions.slice(5)).size).toBe(1);
  });

  it('never makes more than the budget unavailable, whichever are refused, and when they may go', () => {
    const host = fc.record({
      until: fc.nat(15),
      ever: fc.boolean(),
      is: fc.constantFrom('ready', 'ready', 'unready', 'crashing'),
    });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 3 }),
        fc.array(host, { minLength: 1, maxLength: 5 }),
        fc.nat(3),
        (maxUnavailable, hosts, starts) => {
          const nodes = hosts.map((_, index) => `n${index}`);
          const of = (node: string) => hosts[nodes.indexOf(node)];
          const broken = nodes.filter((node) => of(node)?.is !== 'ready');
          const crashing = nodes.filter((node) => of(node)?.is === 'crashing');
          const isRefused = (node: string, round: number): boolean =>
            of(node)?.ever === true || round < (of(node)?.until ?? 0);
          const fleet = { maxUnavailable, nodes, broken, crashing, isRefused, starts };
          const { on, most } = rolledOut({ ...fleet, everyMs: 15_000, rounds: 100 });
          expect(most).toBeLessThanOrEqual(Math.max(maxUnavailable, broken.length));
          const spent = broken.filter((node) => of(node)?.ever === true).length;
          const may = nodes.filter((node) => of(node)?.ever !== true);
          expect(on).toEqual(spent < maxUnavailable ? may : may.filter((node) => broken.includes(node)));
        },
      ),
      { numRuns: 20 },
    );
  });
});
