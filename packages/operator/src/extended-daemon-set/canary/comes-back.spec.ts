import type { Condition } from '@atoll/api';
import { describe, expect, it } from 'vitest';
import { decide } from '../decide.ts';
import { agent, ago, now, podOn, replicaSet, snapshotOf } from '../extended-daemon-set.fixture.ts';
import type { ExtendedDaemonSetSnapshot } from '../observe.ts';
import { plan } from '../plan.ts';
import { report } from '../report.ts';
import { active, nodes, nothingDone, trying } from './canary.fixture.ts';

/** `agent:2` served for months. `agent:1` followed it, is bad, and is on node c. The template goes back to `agent:2` in mid rollout. */
describe('a template that was active before and comes back', () => {
  const before = replicaSet(2, {
    created: ago(9_000_000),
    conditions: [{ type: 'Active', status: 'False', lastTransitionTime: ago(300) }],
  });
  const replicaSets = [active, before];
  const fleet = (restarts: number) => [
    podOn('a', before, { restarts, restartedAt: ago(800_000) }),
    podOn('b', before, { restarts, restartedAt: ago(800_000) }),
    podOn('c', active, { ready: false, restarts: 9, waiting: 'CrashLoopBackOff' }),
  ];

  it.each([0, 2, 3, 5, 6])('is promoted, although its pods have restarted %i times in months', (restarts) => {
    const { roles } = trying({ recorded: null, replicaSets, pods: fleet(restarts) });
    expect(roles?.promoted).toBeDefined();
  });

  it('is waited for as long as a person has to validate it, also where its pods stay', () => {
    const { holds } = trying({ canary: { validationMode: 'manual' }, replicaSets, pods: fleet(0) });
    const running = holds.filter(({ reason }) => reason === 'CanaryRunning');
    expect(running.map(({ targets }) => targets)).toEqual([[], ['b']]);
    expect(new Set(running.map(({ waitsFor }) => waitsFor))).toEqual(new Set(['person']));
    for (const { waitingUntil } of running)
      expect(waitingUntil).toContain('kubectl eds canary validate agent');
  });

  it('is judged by the pods that are made in this trial', () => {
    const conditions = [
      ...(before.status?.conditions ?? []),
      { type: 'Canary', status: 'True' as const, lastTransitionTime: ago(60) },
    ];
    const back = replicaSet(2, { created: ago(9_000_000), conditions });
    const pods = [
      podOn('a', back, { created: ago(50), restarts: 6 }),
      podOn('b', active),
      podOn('c', active),
    ];
    const { roles } = trying({ replicaSets: [active, back], pods });
    expect(roles?.failed).toMatchObject({ by: 'autoFail.maxRestarts' });
  });

  it('is not put back to the bad one', () => {
    const object = agent('agent:2', { strategy: { canary: {} }, status: { activeReplicaSet: 'agent-1' } });
    let snapshot = snapshotOf({ object, nodes, replicaSets, pods: fleet(6) });
    const words: string[] = [];
    // The verdict, its record in both statuses, and the plan that follows from them.
    for (let round = 0; round < 3; round += 1) {
      const decision = decide(snapshot, now + round);
      const { stages } = plan(snapshot, decision, now + round);
      words.push(...stages.flatMap(({ steps }) => steps.map(({ why }) => why.word)));
      snapshot = withStatuses(snapshot, report(snapshot, decision, nothingDone, now + round));
    }
    expect(words).not.toContain('TemplateReverted');
  });
});

function withStatuses(
  snapshot: ExtendedDaemonSetSnapshot,
  written: ReturnType<typeof report>,
): ExtendedDaemonSetSnapshot {
  const of = <T extends { readonly metadata: { readonly uid: string } }>(each: T): T => {
    const found = written.find(({ object: { metadata } }) => metadata.uid === each.metadata.uid);
    return found === undefined ? each : { ...each, status: found.status };
  };
  const { owner, replicaSets } = snapshot;
  if (owner === undefined) throw new Error('there is no object');
  return { ...snapshot, owner: { ...owner, object: of(owner.object) }, replicaSets: replicaSets.map(of) };
}

describe('a template that failed as a canary, and then went to all nodes because a person wanted it', () => {
  const turned = (type: string, status: 'True' | 'False'): Condition => ({
    type,
    status,
    reason: 'Error',
    message: '',
    lastTransitionTime: ago(80_000),
  });

  it('has not failed when it comes back', () => {
    const failed = replicaSet(2, {
      created: ago(90_000),
      conditions: [turned('Canary-Failed', 'True'), turned('Canary', 'False')],
    });
    const object = agent('agent:2', { status: { activeReplicaSet: 'agent-2' } });
    const pods = ['a', 'b', 'c'].map((node) => podOn(node, failed));
    const serving = snapshotOf({ object, nodes, replicaSets: [failed], pods });
    const written = report(serving, decide(serving, now), nothingDone, now);
    const served = withStatuses(serving, written).replicaSets[0]?.status?.conditions ?? [];
    const conditions = served.map((each) =>
      each.type === 'Active' ? { ...each, status: 'False' as const } : each,
    );
    const back = replicaSet(2, { created: ago(90_000), conditions });
    const { roles } = trying({
      recorded: null,
      replicaSets: [active, back],
      pods: [podOn('a', back), podOn('b', back), podOn('c', active, { ready: false })],
    });
    expect(roles).toMatchObject({ failed: undefined, promoted: { promote: true } });
  });
});
