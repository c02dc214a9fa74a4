// Settings of which Datadog's operator had an error when Atoll came: it made no pod with them.
import { extendedDaemonsetSettings, type ExtendedDaemonsetSetting } from '@atoll/api';
import { conditionOf, type Stored } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { decide } from '../decide.ts';
import { agent, node, now, podOn, replicaSet, setting, snapshotOf } from '../extended-daemon-set.fixture.ts';
import { report } from '../report.ts';

type Setting = Stored<ExtendedDaemonsetSetting>;

const [old, active] = [replicaSet(0), replicaSet(1)];
const error = 'conflict with another ExtendedDaemonsetSetting: of-another-object';
const twoNodes = [node('a'), node('b')];
const inError: Setting = { ...setting('large'), status: { status: 'error', error } };

/** As the old operator makes it. */
function oldPod(of = active, annotations: Readonly<Record<string, string>> = {}) {
  const pod = podOn('a', of);
  return { ...pod, metadata: { ...pod.metadata, annotations } };
}

function found(
  settings: readonly Setting[],
  {
    pod = oldPod(),
    nodes = [node('a')],
  }: { pod?: ReturnType<typeof oldPod>; nodes?: readonly ReturnType<typeof node>[] } = {},
) {
  const object = agent('agent:1');
  const snapshot = snapshotOf({ object, replicaSets: [old, active], nodes, pods: [pod], settings });
  const decision = decide(snapshot, now);
  const written = report(snapshot, decision, { results: [] }, now)
    .filter(({ resource }) => resource === extendedDaemonsetSettings)
    .map(
      ({ object: each, status }) =>
        ({ ...(each as Setting), status: status as Setting['status'] }) as Setting,
    );
  const deleted = decision.fleet?.active?.deleted.map(({ target }) => target.id);
  return { deleted, holds: decision.holds, written };
}

function markOf(one: Setting | undefined): string | undefined {
  return one?.status === undefined
    ? undefined
    : conditionOf({ status: one.status }, 'NotAppliedBefore')?.status;
}

describe('a setting of which the old operator had an error', () => {
  it('costs no pod when Atoll comes, nor later, and is reported', () => {
    const first = found([inError]);
    expect(first.deleted).toEqual([]);
    expect(first.holds).toMatchObject([
      {
        reason: 'OldRenderingKept',
        targets: ['a'],
        bad: false,
        problem:
          'pods that the old operator made run on without the ExtendedDaemonsetSetting large, of which it had an error',
      },
    ]);
    expect(first.written[0]?.status?.status).toBe('valid');
    expect(markOf(first.written[0])).toBe('True');
    const later = found(first.written);
    expect(later.deleted).toEqual([]);
    expect(markOf(later.written[0])).toBe('True');
  });

  it('is applied when it is changed', () => {
    const [marked] = found([inError]).written as [Setting];
    const changed = { ...marked, metadata: { ...marked.metadata, generation: 4 } };
    const { deleted, holds, written } = found([changed]);
    expect(deleted).toEqual(['a']);
    expect(holds.map(({ reason }) => reason)).not.toContain('OldRenderingKept');
    expect(markOf(written[0])).toBeUndefined();
  });

  it.each([
    ['the template changes', { pod: oldPod(old) }],
    ['Atoll made the pod', { pod: oldPod(active, { 'atoll.dev/overrides-hash': 'none' }) }],
    [
      'an annotation of the node came',
      {
        nodes: [
          node('a', {
            annotations: {
              'resources.extendeddaemonset.datadoghq.com/edge.agent.agent': '{"limits":{"cpu":"2"}}',
            },
          }),
        ],
      },
    ],
  ])('keeps no pod where %s', (_title, given) => {
    expect(found([inError], given).deleted).toEqual(['a']);
  });

  it('has no mark where Atoll has an error of it too, and is applied when that is over', () => {
    const newer = setting('newer', { age: 1 });
    const [, both] = found([newer, inError]).written;
    expect(both?.status?.status).toBe('error');
    expect(markOf(both)).toBeUndefined();
    expect(found([both as Setting]).deleted).toEqual(['a']);
  });

  it('costs no pod when we have an error of it for a while, too', () => {
    const first = found([inError], { nodes: twoNodes });
    const nodes: ReturnType<typeof node>[] = [node('a'), node('b', { labels: { zone: 'x' } })];
    const ofZone = setting('of-zone', { age: 1, labels: { zone: 'x' } });
    const other: Setting = { ...ofZone, spec: { ...ofZone.spec, containers: [] } };
    const meanwhile = found([...first.written, other], { nodes });
    const large = meanwhile.written.filter(({ metadata }) => metadata.name === 'large');
    expect(large[0]?.status?.status).toBe('error');
    const after = found([...large, other], { nodes: twoNodes });
    expect([first.deleted, meanwhile.deleted, after.deleted]).toEqual([[], [], []]);
  });

  it('is another one than one that was valid, or that is new', () => {
    expect(found([{ ...inError, status: { status: 'valid' } }]).deleted).toEqual(['a']);
    expect(found([setting('large')]).deleted).toEqual(['a']);
  });
});
