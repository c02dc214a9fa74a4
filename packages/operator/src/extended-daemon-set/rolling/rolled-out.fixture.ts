import { extendedDaemonSets, extendedDaemonSetReplicaSets } from '@atoll/api';
import { ApiError, type Stored } from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import { isBlockedByFailure } from '../../engine/executor/depends-on.ts';
import { nothingRefused, refusedAfter } from '../../engine/refused-trials.ts';
import type { Step, StepResult } from '../../engine/step.ts';
import { decide } from '../decide.ts';
import { agent, nodesNamed, now, podOn, replicaSet, snapshotOf } from '../extended-daemon-set.fixture.ts';
import { plan } from '../plan.ts';
import { report } from '../report.ts';

export const [old, current] = [replicaSet(0), replicaSet(1)];
export const names = ['a', 'b', 'c', 'd', 'e'];

/** What a webhook answers to a deletion. */
export const answer = refusalOf(
  403,
  'delete pods edge/agent-0-a',
  'admission webhook "guard" denied the request',
);

interface Fleet {
  readonly maxUnavailable?: number | string;
  readonly nodes?: readonly string[];
  /** Nodes that have no pod at first. */
  readonly empty?: readonly string[];
  /** Nodes whose pod is not Ready at first. */
  readonly broken?: readonly string[];
  /** Those of them whose container fails again and again. */
  readonly crashing?: readonly string[];
  /** Asked for each deletion of a node's pod that is sent. */
  readonly isRefused?: (node: string, round: number) => boolean;
  /**
   * What becomes of the record of a batch. `conflict`: somebody else has written the replica set, and of what the report writes only that is taken which may not
   * wait. `lost`: it is done, and its answer is lost. Otherwise the report cannot be written either.
   */
  readonly recorded?: (round: number) => 'done' | 'conflict' | 'lost' | ApiError;
  /** So many rounds a new pod needs to be Ready. */
  readonly starts?: number;
  readonly rounds?: number;
  readonly everyMs?: number;
  readonly reconcileFrequency?: string;
}

/** A rollout in rounds. What is planned is sent in each: nothing holds it back. */
export function rolledOut({
  maxUnavailable = 1,
  nodes = names,
  empty = [],
  broken = [],
  crashing = [],
  isRefused = () => false,
  recorded = () => 'done',
  starts = 1,
  rounds = 60,
  everyMs = 10_000,
  reconcileFrequency = '10s',
}: Fleet) {
  let active = current;
  let pods = nodes
    .filter((node) => !empty.includes(node))
    .map((node) => {
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
    const becomes = recorded(round);
    for (const step of sent) {
      const isDeletion = step.do === 'delete' && step.resource.plural === 'pods';
      if (isBlockedByFailure(step, results)) {
        results.push({ step, did: 'skipped', because: 'earlier-stage-failed' });
        continue;
      }
      if (step.why.word === 'BatchRecorded') {
        results.push(resultOf(step, becomes));
        const isWritten = becomes === 'done' || becomes === 'lost';
        if (isWritten && step.do === 'patch') {
          records += 1;
          active = withStatus(active, (step.patch as { body: { status: object } }).body.status);
        }
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
      if (did !== 'done' || node === undefined) continue;
      if (step.do === 'delete') pods = pods.filter(({ spec }) => spec?.nodeName !== node);
      if (step.do !== 'create') continue;
      pods = [...pods, podOn(node, active, { ready: starts === 0 })];
      startedIn.set(node, round);
    }
    const again = snapshotOf({ ...found, replicaSets: [old, active], pods, refused });
    const decided = decide(again, at);
    ({ holds } = decided);
    const written = report(again, decided, { results }, at);
    const ofObject = written.find(({ resource }) => resource.plural === extendedDaemonSets.plural);
    const status = ofObject?.status as Stored<ReturnType<typeof agent>>['status'];
    conditions.push(status?.conditions?.find(({ type }) => type === 'Ready')?.message ?? '');
    const ofActive = written.find(
      ({ resource, object: { metadata } }) =>
        resource.plural === extendedDaemonSetReplicaSets.plural && metadata.uid === active.metadata.uid,
    );
    const isWritten = becomes === 'done' || (becomes === 'conflict' && ofActive?.urgent === true);
    if (ofActive !== undefined && isWritten) active = withStatus(active, ofActive.status);
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

function resultOf(step: Step, becomes: 'done' | 'conflict' | 'lost' | ApiError): StepResult {
  if (becomes === 'done') return { step, did: 'done' };
  if (becomes === 'conflict') return { step, did: 'skipped', because: 'plan-outdated' };
  return { step, did: 'failed', error: becomes === 'lost' ? lost : becomes };
}

const lost = new ApiError({
  fate: 'in-doubt',
  code: 0,
  reason: 'Timeout',
  attempted: 'patch extendeddaemonsetreplicasets',
  message: 'no answer',
});

function withStatus(replicaSet: typeof current, status: object): typeof current {
  return { ...replicaSet, status: status as NonNullable<(typeof current)['status']> };
}
