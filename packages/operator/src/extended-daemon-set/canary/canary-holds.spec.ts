import { describe, expect, it } from 'vitest';
import { ago, node, now, podOn, replicaSet } from '../extended-daemon-set.fixture.ts';
import { describeHold } from '../../engine/problems/describe-hold.ts';
import { PlayedCanary } from '../../../simulation/examples/played-canary.ts';
import { active, canaryPod, nodes, onNodeA, tried, trying, type Given } from './canary.fixture.ts';

const paused = { 'extendeddaemonset.datadoghq.com/canary-paused': 'true' };

describe('what a canary waits for', () => {
  it.each([
    ['is no defect where a person paused it', { annotations: paused, pods: canaryPod() }, false],
    [
      'is one where its pods cannot start',
      { pods: canaryPod({ ready: false, waiting: 'ErrImagePull' }) },
      true,
    ],
  ] as const)('%s', (_, given, bad) => {
    expect(trying(given).holds).toContainEqual(expect.objectContaining({ reason: 'CanaryPaused', bad }));
  });

  it('has the time when it is over, and none where a person decides', () => {
    const young = replicaSet(2, { created: ago(60) });
    const pods = nodes.map(({ metadata: { name } }, index) => podOn(name, index === 0 ? young : active));
    const holdOf = (canary: object) =>
      trying({ canary, replicaSets: [active, young], pods }).holds.find(
        ({ reason }) => reason === 'CanaryRunning',
      );
    const { until = 0, waitsFor } = holdOf({ duration: '10m' }) ?? {};
    expect([waitsFor, Math.round((until - now) / 60_000)]).toEqual(['time', 9]);
    const byPerson = holdOf({ validationMode: 'manual' });
    expect(byPerson?.waitsFor).toBe('person');
    expect(byPerson).not.toHaveProperty('until');
  });

  it('is nothing more when it is promoted', () => {
    const { roles, holds } = trying({ replicaSets: [active, tried], pods: canaryPod() });
    expect(roles?.promoted).toBeDefined();
    expect(holds).toEqual([]);
  });
});

/** What people read of a canary. */
function shown(given: Given): string {
  const { holds } = trying({ pods: canaryPod(), ...given });
  const found = holds.find(({ reason }) => reason === 'CanaryRunning' || reason === 'CanaryPaused');
  return found === undefined ? '' : describeHold(found);
}

describe('a canary that has fewer nodes than spec.strategy.canary.replicas asks for', () => {
  const few = 'replicas asks for';
  const selecting = { replicas: 2, nodeSelector: { matchLabels: { pool: 'x' } }, duration: '10h' };
  const given = { canary: selecting, nodes: [node('a', { labels: { pool: 'x' } }), ...nodes.slice(1)] };
  const numbers = '1 of the 2 nodes that spec.strategy.canary.replicas asks for';

  it('is shown with both numbers (BUG-4)', () => {
    expect(shown(given)).toContain(
      `(canary agent-2, which has ${numbers}: no other node fits its template and its nodeSelector, is Ready and has no taint of its absence)`,
    );
  });

  it('is shown so behind the nodes that are waited for, of which that is not true', () => {
    const pods = [podOn('a', tried, { ready: false })];
    const late = { ...selecting, duration: '1s' };
    expect(shown({ ...given, canary: late, pods })).toMatch(
      /^a: waiting until its pods .* \(canary agent-2, /,
    );
  });

  it('is shown with both numbers where it is paused', () => {
    expect(shown({ ...given, annotations: paused })).toContain(
      `a person paused it; it has ${numbers}. Let it go on`,
    );
  });

  it('is not where it has them, nor where it has none, which has a reason of its own', () => {
    expect(shown({ canary: { duration: '10h' } })).not.toContain(few);
    expect(shown({ canary: { duration: '10h' }, annotations: paused })).not.toContain(few);
    const none = { nodeSelector: { matchLabels: { pool: 'x' } } };
    expect(shown({ canary: none, recorded: { replicaSet: 'agent-2', nodes: [] } })).not.toContain(few);
  });
});

describe('a canary whose nodeSelector cannot be read', () => {
  // As an old operator left it.
  const unreadable = { matchExpressions: [{ key: 'tier', operator: 'In' as const, values: [] }] };
  const canary = { nodeSelector: unreadable };
  const wrong = (given: Given) => {
    const { holds } = trying({ pods: canaryPod(), canary, ...given });
    return holds.filter(({ bad }) => bad).map(({ reason, problem = '' }) => `${reason}: ${problem}`);
  };

  it.each<[string, Given]>([
    ['while it runs', {}],
    ['where a person paused it', { annotations: paused }],
  ])('is something wrong that only a correction ends, %s', (_, given) => {
    expect(wrong(given)).toEqual([
      expect.stringMatching(
        /^InvalidSelector: spec\.strategy\.canary\.nodeSelector\..*, so the canary keeps its nodes, and is not promoted\. Correct it$/,
      ),
    ]);
  });

  it('is nothing wrong any more where a person has promoted it, or it has failed', () => {
    expect(wrong({ annotations: { 'extendeddaemonset.datadoghq.com/canary-valid': 'agent-2' } })).toEqual([]);
    const crashing = wrong({ pods: canaryPod({ restarts: 9 }) });
    expect(crashing).toEqual([expect.stringContaining('CanaryFailed: ')]);
  });
});

describe('the annotation canary-valid with another name than that of the canary', () => {
  const valid = (name: string) => ({ 'extendeddaemonset.datadoghq.com/canary-valid': name });
  const manual = { canary: { validationMode: 'manual' } } as const;
  const auto = { canary: { duration: '10h' } };

  it.each<[string, Given, string]>([
    ['that is a name of nothing', { ...manual, annotations: valid('agnet-2') }, '"agnet-2"'],
    [
      'of a canary before, where a person is waited for',
      { ...manual, annotations: valid('agent-0') },
      '"agent-0"',
    ],
    ['that is true, also where time decides', { ...auto, annotations: valid('true') }, '"true"'],
    [
      'that is true, where the canary is paused',
      { ...auto, annotations: { ...valid('true'), ...paused } },
      '"true"',
    ],
  ])('%s is named', (_, given, value) => {
    expect(shown(given)).toContain(
      `the annotation extendeddaemonset.datadoghq.com/canary-valid is ${value}, which promotes nothing: to promote this canary it must be agent-2`,
    );
  });

  it.each<[string, Given]>([
    ['that of the active one, which a person validated', { ...manual, annotations: valid('agent-1') }],
    ['that of a canary before, where time decides', { ...auto, annotations: valid('agent-0') }],
    ['none', { ...manual, annotations: valid('') }],
  ])('is not named where it is %s', (_, given) => {
    expect(shown(given)).not.toContain('canary-valid is');
  });
});

describe('a canary whose node is not Ready', () => {
  const away = [node('a', { awaySince: ago(7200) }), node('b'), node('c')];
  it.each([
    ['while its duration is not over', '10h'],
    ['when all that is missing is that node', '1s'],
  ])('names it %s', (_, duration) => {
    expect(shown({ canary: { duration }, nodes: away })).toContain('node a is not Ready; waiting until ');
  });
});

describe('a canary without a node', () => {
  const without = { recorded: { replicaSet: 'agent-2', nodes: [] }, pods: canaryPod() };
  it.each<[string, Given, string]>([
    [
      'a node, and not until its duration is over',
      { ...without, canary: { duration: '10h', nodeSelector: { matchLabels: { zone: 'none' } } } },
      'waiting until a node that fits its template and its nodeSelector is Ready',
    ],
    [
      'replicas, and not until its duration is over',
      { ...without, canary: { duration: '10h', replicas: 0 } },
      'waiting until a canary pod is asked for: spec.strategy.canary.replicas means no node',
    ],
    [
      'a person, where only a person promotes it',
      { ...without, canary: { validationMode: 'manual', replicas: 0 } },
      'waiting until a person validates it',
    ],
  ])('waits for %s', (_, given, sentence) => {
    expect(shown(given)).toContain(sentence);
  });

  it('waits for time alone where its health is not asked', () => {
    const annotations = { 'atoll.dev/canary-promotion': 'AfterDuration' };
    expect(shown({ ...without, canary: { duration: '10h', replicas: 0 }, annotations })).toContain(
      'waiting until its duration is over',
    );
  });
});

describe('a canary that a person paused', () => {
  const before = (message: string) =>
    replicaSet(2, {
      created: ago(700),
      conditions: [{ type: 'Canary-Paused', status: 'True', reason: 'Unknown', message }],
    });
  const holdOf = (message: string, shape: object = {}) =>
    trying({ replicaSets: [active, before(message)], pods: canaryPod(shape) }).holds.find(
      ({ reason }) => reason === 'CanaryPaused',
    );

  it('is no defect when the annotation is gone, and says that this is not enough', () => {
    const { bad, problem } = holdOf('a person paused it') ?? {};
    expect(bad).toBe(false);
    expect(problem).toContain(
      'canary agent-2 is paused: a person paused it; removing the annotation canary-paused is not enough. Let it go on with: kubectl eds canary unpause agent -n edge',
    );
  });

  it('is a defect where its pods restarted too often, or somebody else paused it', () => {
    expect(holdOf('a person paused it', { restarts: 4 })).toMatchObject({ bad: true });
    expect(holdOf('it was paused before')).toMatchObject({ bad: true });
  });

  it('names the nodes on which no pod is made meanwhile', () => {
    const pods = canaryPod().slice(1);
    expect(shown({ annotations: paused, pods })).toContain(
      'is paused: a person paused it; no pod is made meanwhile on a. Let it go on',
    );
    expect(shown({ annotations: paused })).not.toContain('no pod is made');
    expect(
      shown({
        annotations: paused,
        recorded: onNodeA,
        pods: nodes.map(({ metadata }) => podOn(metadata.name, active)),
      }),
    ).not.toContain('no pod is made');
  });

  it('stays so over time, as long as nobody lets it go on', () => {
    const played = new PlayedCanary();
    played.setImage('agent:2');
    played.play(20);
    played.annotate(paused);
    played.play(20);
    for (const name of Object.keys(paused)) played.removeAnnotation(name);
    played.play(200);
    expect(played.condition('Paused')).toMatchObject({ status: 'True', reason: 'CanaryPaused' });
    expect(played.condition('Degraded')).toMatchObject({ status: 'False' });
    expect(played.object.status?.state).toBe('Canary Paused');
    played.annotate({ 'extendeddaemonset.datadoghq.com/canary-unpaused': 'true' });
    played.play(20);
    expect(played.object.status?.state).toBe('Canary');
  });
});
