import { describe, expect, it } from 'vitest';
import { touched, trying } from '../canary/canary.fixture.ts';
import { ago, node, podOn, replicaSet } from '../extended-daemon-set.fixture.ts';

const [older, active, tried] = [replicaSet(0), replicaSet(1), replicaSet(2, { created: ago(700) })];
const canary = { duration: '1h' };

describe('before the status names it', () => {
  it('a canary touches no node of the one before', () => {
    const third = replicaSet(3, { created: ago(10) });
    const pods = [podOn('a', tried), podOn('b', active), podOn('c', active)];
    const next = { canary, image: 'agent:3', replicaSets: [active, tried, third], pods };
    expect(touched(trying(next))).toEqual([]);
    const recorded = { replicaSet: 'agent-3', nodes: ['a'] };
    expect(touched(trying({ ...next, recorded }))).toEqual(['a']);
  });

  it('a node of the canary is in the budget of the others', () => {
    const pods = [podOn('a', active), podOn('b', older), podOn('c', older)];
    const rolling = { canary, replicaSets: [older, active, tried], pods };
    expect(touched(trying({ ...rolling, recorded: null }))).toEqual([]);
    expect(touched(trying(rolling))).toEqual(['a', 'b']);
  });

  it.each([
    ['made', [podOn('b', active), podOn('c', active)]],
    ['deleted', [podOn('a', older), podOn('b', active), podOn('c', active)]],
    [
      'cleaned up',
      [podOn('a', active), podOn('a', active, { name: 'second' }), podOn('b', active), podOn('c', active)],
    ],
  ])('no pod of the active replica set is %s', (_, pods) => {
    const fleet = { replicaSets: [older, active], image: 'agent:1', recorded: null, pods };
    expect(touched(trying({ ...fleet, recordedActive: '' }))).toEqual([]);
    expect(touched(trying(fleet))).toEqual(['a']);
  });
});

describe('a template that is withdrawn in mid rollout', () => {
  // The rollout of agent:2 is under way when agent:1 comes back into the spec and is tried.
  const first = replicaSet(1, { conditions: [{ type: 'Active', status: 'False' }] });
  const withdrawn = replicaSet(2, { created: ago(700) });
  const recorded = { replicaSet: 'agent-1', nodes: ['a'] };
  const given = {
    image: 'agent:1',
    recordedActive: 'agent-2',
    replicaSets: [first, withdrawn],
    recorded,
    canary: { validationMode: 'manual' as const },
  };
  const pods = [podOn('a', first), podOn('b', first), podOn('c', withdrawn)];

  it('replaces no pod of the template in the spec', () => {
    const found = trying({ ...given, pods });
    expect(touched(found)).toEqual([]);
    expect(found.holds).toContainEqual(
      expect.objectContaining({
        reason: 'CanaryRunning',
        waitsFor: 'person',
        targets: ['b'],
        waitingUntil: expect.stringContaining('canary agent-1, of whose template their pods are') as string,
      }),
    );
  });

  it('replaces its pods on other nodes where it has never been active', () => {
    const replicaSets = [replicaSet(1), withdrawn];
    expect(touched(trying({ ...given, replicaSets, pods }))).toEqual(['b']);
  });

  it('replaces pods of all others', () => {
    const third = replicaSet(3);
    const others = [podOn('a', first), podOn('b', third), podOn('c', withdrawn)];
    const { steps } = trying({ ...given, replicaSets: [...given.replicaSets, third], pods: others });
    expect(steps.map(({ target }) => target)).toContain('b');
  });

  it('goes on where the one before it has failed, and the spec stays', () => {
    const failed = replicaSet(1, {
      conditions: [
        { type: 'Active', status: 'False' },
        { type: 'Canary-Failed', status: 'True', reason: 'Error' },
      ],
    });
    const annotations = { 'atoll.dev/on-canary-failure': 'Hold' };
    const fleet = { ...given, replicaSets: [failed, withdrawn], recorded: null, annotations, pods };
    expect(touched(trying(fleet))).toHaveLength(1);
  });
});

it('a pod of the canary stays on a node that the template of the active replica set does not fit', () => {
  const { template } = active.spec;
  const spec = { containers: [], ...template.spec, nodeSelector: { disk: 'ssd' } };
  const picky = { ...active, spec: { ...active.spec, template: { ...template, spec } } };
  const labels = { disk: 'ssd' };
  const nodes = [node('a'), node('b', { labels }), node('c', { labels })];
  const pods = [podOn('a', tried), podOn('b', active), podOn('c', active)];
  expect(touched(trying({ canary, replicaSets: [picky, tried], nodes, pods }))).toEqual([]);
});

describe('a pod that was never bound, on a node whose taint the template does not tolerate', () => {
  const taints = [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }] as const;
  const nodes = [node('a', { taints }), node('b'), node('c')];
  const touchedWith = (of: typeof active, annotations: Readonly<Record<string, string>> = {}) => {
    const waiting = podOn('a', of, { bound: false, ready: false, phase: 'Pending' });
    const pods = [waiting, podOn('b', active), podOn('c', active)];
    const replicaSets = [older, active];
    return touched(trying({ replicaSets, image: 'agent:1', recorded: null, nodes, pods, annotations }));
  };

  it('is deleted where it is of another template: it would start with that one', () => {
    expect(touchedWith(older)).toEqual(['a']);
  });

  it('stays where it is of the template', () => {
    expect(touchedWith(active)).toEqual([]);
  });

  it('is none that was bound: that one runs on', () => {
    const pods = [podOn('a', older), podOn('b', active), podOn('c', active)];
    const fleet = { replicaSets: [older, active], image: 'agent:1', recorded: null, nodes, pods };
    expect(touched(trying(fleet))).toEqual([]);
  });

  it('stays while the rollout is paused', () => {
    const name = 'extendeddaemonset.datadoghq.com/rolling-update-paused';
    expect(touchedWith(older, { [name]: 'true' })).toEqual([]);
  });
});
