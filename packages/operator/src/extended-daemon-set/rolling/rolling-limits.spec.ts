import { describe, expect, it } from 'vitest';
import type { Target } from '../../engine/rollout/target.ts';
import { now } from '../extended-daemon-set.fixture.ts';
import type { Strategy } from '../read-strategy.ts';
import type { HeldBy } from './held-by.ts';
import { rollingLimits, type RollingState } from './rolling-limits.ts';

const second = 1_000;
const strategy: Strategy = {
  reconcileEveryMs: 10 * second,
  maxUnavailable: 1,
  maxPodSchedulerFailure: 0,
  maxParallelPodCreation: 250,
  slowStartIntervalMs: 60 * second,
  slowStartIncrease: 5,
  canary: undefined,
};

interface Given extends Partial<Omit<RollingState, 'strategy'>> {
  readonly strategy?: Partial<Strategy>;
}

function limitsOf({ strategy: change, ...state }: Given = {}) {
  const nothing = { held: undefined, nodes: 10, activeSince: now, created: [], unfit: new Set<string>() };
  return rollingLimits({ ...nothing, now, ...state, strategy: { ...strategy, ...change } });
}

describe('how many pods may be made', () => {
  const atMost = (given: Given = {}): number | undefined => limitsOf(given).creations?.atMost;

  it('grows with each interval, up to what may be made at once', () => {
    expect(atMost()).toBe(5);
    expect(atMost({ activeSince: now - 60 * second })).toBe(10);
    expect(atMost({ activeSince: now - 3_600 * second })).toBe(250);
    expect(atMost({ strategy: { slowStartIntervalMs: 0 } })).toBe(250);
  });

  // reference/extendeddaemonset.md 3.10: 1 pod in 10 s in the first minute, 2 in the second, and so on.
  it('lets the first pods of 1,000 nodes take about 18 minutes with the defaults', () => {
    const created: number[] = [];
    const creationsAt = (at: number) =>
      limitsOf({ now: at, activeSince: now, nodes: 1_000, created, strategy: { slowStartIncrease: 1 } })
        .creations;
    let at = now;
    while (created.length < 1_000) {
      const second = Math.floor(at / 1_000) * 1_000;
      created.push(...Array.from({ length: creationsAt(at)?.atMost ?? 0 }, () => second));
      at = creationsAt(at)?.moreAt ?? Infinity;
    }
    const last = created.at(-1) ?? Infinity;
    expect(Math.round((last - now) / 60_000)).toBe(18);
  });

  it('is at least one where the increase is none, or a share of few nodes', () => {
    expect(atMost({ strategy: { slowStartIncrease: 0 } })).toBe(1);
    expect(atMost({ nodes: 0, strategy: { slowStartIncrease: '5%' } })).toBe(1);
    expect(atMost({ nodes: 30, strategy: { slowStartIncrease: '5%' } })).toBe(2);
  });

  it('is less by those of the last interval, counted from the end of their second', () => {
    expect(atMost({ created: [now - 11 * second, now - 10 * second, now] })).toBe(3);
    expect(atMost({ created: Array.from({ length: 9 }, () => now) })).toBe(0);
  });

  it('does not count what was made later than now, by a clock that was set back', () => {
    expect(atMost({ created: [now + 60 * second] })).toBe(5);
  });

  it('is looked at again when it grows, or one of the last interval counts no more', () => {
    const moreAt = (given: Given): number | undefined => limitsOf(given).creations?.moreAt;
    expect(moreAt({})).toBe(now + 60 * second);
    expect(moreAt({ created: [now] })).toBe(now + 999 + 10 * second);
    const rule = () => ({ reason: 'Paused', waitsFor: 'person', waitingUntil: 'it goes on' }) as const;
    const held: HeldBy = { by: 'paused', rule };
    expect(moreAt({ held, activeSince: undefined })).toBeUndefined();
  });
});

describe('what holds a node', () => {
  const target = (at: Target['at']): Target =>
    ({ id: 'a', labels: {}, at, wanted: 'v2', health: 'healthy', reach: 'reachable' }) as unknown as Target;
  const holdsOf = (at: Target['at'], given: Given): readonly (string | undefined)[] =>
    (limitsOf(given).holds ?? []).map((rule) => rule(target(at), now)?.reason);
  const rule = () => ({ reason: 'Paused', waitsFor: 'person', waitingUntil: 'it goes on' }) as const;

  it('is a pause where something runs, and a freeze everywhere', () => {
    const running = { revision: 'v1' } as Target['at'];
    expect(holdsOf(running, { held: { by: 'paused', rule } })).toContain('Paused');
    expect(holdsOf('nothing', { held: { by: 'paused', rule } })).not.toContain('Paused');
    expect(holdsOf('nothing', { held: { by: 'frozen', rule } })).toContain('Paused');
  });

  it('is the node where nothing runs and no pod can be made', () => {
    const unfit = new Set(['a']);
    expect(holdsOf('nothing', { unfit }).filter(Boolean)).toHaveLength(1);
    expect(holdsOf({ revision: 'v1' } as Target['at'], { unfit }).filter(Boolean)).toEqual([]);
    expect(holdsOf('nothing', {}).filter(Boolean)).toEqual([]);
  });

  it('is a limit of no pods at once, everywhere', () => {
    const none = { strategy: { maxParallelPodCreation: 0 } };
    expect(holdsOf('nothing', none)).toContain('CreationLimitReached');
    expect(holdsOf({ revision: 'v1' } as Target['at'], none)).toContain('CreationLimitReached');
  });
});
