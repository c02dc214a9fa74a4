import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../../decide.ts';
import { agent, ago, node, now, podOn, snapshotOf } from '../../extended-daemon-set.fixture.ts';
import { plan } from '../../plan.ts';
import { answer, current, names, old, rolledOut } from '../rolled-out.fixture.ts';

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
