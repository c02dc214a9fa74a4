import { describe, expect, it } from 'vitest';
import { ago, now, podOn, replicaSet } from '../extended-daemon-set.fixture.ts';
import { active, canaryPod, nodes, tried, trying } from './canary.fixture.ts';

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
