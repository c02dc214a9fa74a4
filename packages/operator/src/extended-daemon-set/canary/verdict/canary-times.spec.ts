// When time alone changes the verdict of a canary: it is judged again in that millisecond, and not before.
import { describe, expect, it } from 'vitest';
import { now, podOn, replicaSet } from '../../extended-daemon-set.fixture.ts';
import { judgeCanary, type CanaryEvidence } from './canary-verdict.ts';

const minute = 60_000;
const tried = replicaSet(2);

type Given = Partial<Omit<CanaryEvidence, 'strategy'>> & {
  readonly strategy?: Partial<CanaryEvidence['strategy']>;
};

function judged({ strategy, ...given }: Given) {
  return judgeCanary({
    strategy: { autoFail: undefined, autoPause: undefined, ...strategy },
    pods: [],
    since: now,
    restarts: undefined,
    failed: undefined,
    paused: undefined,
    pausedByPerson: false,
    pausedByAnnotation: undefined,
    unpausedByAnnotation: false,
    now,
    ...given,
  });
}

describe('a canary', () => {
  it('fails when canaryTimeout is over, and is judged again then', () => {
    const strategy = { autoFail: { maxRestarts: 5, maxRestartsMs: undefined, timeoutMs: minute } };
    const at = (elapsed: number) => judged({ strategy, now: now + elapsed });
    expect(at(0)).toEqual({ is: 'running', requeueAt: now + minute + 1 });
    expect(at(minute)).toEqual({ is: 'running', requeueAt: now + minute + 1 });
    expect(at(minute + 1)).toMatchObject({ is: 'failed', requeueAt: undefined });
  });

  it('fails when its pods have restarted for longer than maxRestartsDuration', () => {
    const strategy = { autoFail: { maxRestarts: 5, maxRestartsMs: minute, timeoutMs: undefined } };
    const after = (lasted: number) => judged({ strategy, restarts: { first: now, last: now + lasted } }).is;
    expect(after(minute)).toBe('running');
    expect(after(minute + 1)).toBe('failed');
  });

  it('is paused when a pod has had maxSlowStartDuration to start, and is judged again then', () => {
    const strategy = { autoPause: { maxRestarts: 2, maxSlowStartMs: minute } };
    const pod = podOn('a', tried);
    const waiting = [
      {
        name: 'agent',
        image: '',
        imageID: '',
        ready: false,
        restartCount: 0,
        state: { waiting: { reason: 'ContainerCreating' } },
      },
    ];
    const created = {
      ...pod,
      status: { ...pod.status, startTime: new Date(now).toISOString(), containerStatuses: waiting },
    };
    const at = (elapsed: number) => judged({ strategy, pods: [created], now: now + elapsed });
    expect(at(0)).toEqual({ is: 'running', requeueAt: now + minute + 1 });
    expect(at(minute)).toEqual({ is: 'running', requeueAt: now + minute + 1 });
    expect(at(minute + 1)).toMatchObject({
      is: 'paused',
      reason: 'SlowStartTimeoutExceeded',
      requeueAt: undefined,
    });
  });

  it('is not judged again by time where nothing limits it', () => {
    expect(
      judged({
        strategy: { autoPause: { maxRestarts: 2, maxSlowStartMs: undefined } },
        pods: [podOn('a', tried)],
      }),
    ).toEqual({
      is: 'running',
      requeueAt: undefined,
    });
  });
});
