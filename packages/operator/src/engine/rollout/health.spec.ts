import type { ContainerStatus } from '@atoll/kube';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { waitingWords } from '../../causes/cause-of-container.ts';
import { healthOfPod, type SeenPod } from './health.ts';

const at = (second: number): string => new Date(1000 * second).toISOString();

function container(over: Partial<ContainerStatus> = {}): ContainerStatus {
  return { name: 'web', image: 'web:1', imageID: '', ready: true, restartCount: 0, ...over };
}

function waiting(reason: string, over: Partial<ContainerStatus> = {}): ContainerStatus {
  return container({ ready: false, state: { waiting: { reason, message: 'why' } }, ...over });
}

/** Made at 0, started by its kubelet at 10. */
function pod(
  ready: string | undefined,
  since = 10,
  containerStatuses: readonly ContainerStatus[] = [container()],
  over: {
    readonly phase?: string;
    readonly made?: number;
    readonly deleted?: number;
    readonly init?: readonly ContainerStatus[];
  } = {},
): SeenPod {
  return {
    metadata: {
      creationTimestamp: at(over.made ?? 0),
      ...(over.deleted === undefined ? {} : { deletionTimestamp: at(over.deleted) }),
    },
    status: {
      phase: over.phase ?? 'Running',
      startTime: at(10),
      conditions:
        ready === undefined ? [] : [{ type: 'Ready', status: ready, lastTransitionTime: at(since) }],
      containerStatuses,
      initContainerStatuses: over.init ?? [],
    },
  };
}

describe('the health of a pod', () => {
  const rows: readonly [string, SeenPod, object, object][] = [
    ['Ready', pod('True', 20), {}, { health: 'healthy' }],
    ['not yet Ready', pod('False'), {}, { health: 'starting' }],
    ['nothing is said', { metadata: { creationTimestamp: at(0) } }, {}, { health: 'starting' }],
    [
      'not Ready for long enough',
      pod('True', 95),
      { minReadySeconds: 10 },
      { health: 'starting', healthyAt: 105_000 },
    ],
    ['Ready for just long enough', pod('True', 90), { minReadySeconds: 10 }, { health: 'healthy' }],
    ['Ready and being deleted', pod('True', 20, [container()], { deleted: 99 }), {}, { health: 'gone' }],
    ['evicted', pod('True', 20, [], { phase: 'Failed' }), {}, { health: 'gone' }],
    ['ended', pod('True', 20, [], { phase: 'Succeeded' }), {}, { health: 'gone' }],
    [
      'an image cannot be pulled',
      pod('False', 10, [container(), waiting('ImagePullBackOff', { name: 'log' })]),
      {},
      {
        health: 'broken',
        blocked: { container: 'log', reason: 'ImagePullBackOff', message: 'why' },
      },
    ],
    [
      'it crashes again and again',
      pod('False', 10, [
        waiting('CrashLoopBackOff', {
          restartCount: 4,
        }),
      ]),
      {},
      {
        health: 'broken',
        blocked: { container: 'web', reason: 'CrashLoopBackOff', message: 'why' },
      },
    ],
    [
      'the init container that comes first is named',
      pod('False', 10, [waiting('PodInitializing')], { init: [waiting('ErrImagePull', { name: 'init' })] }),
      {},
      {
        health: 'broken',
        blocked: { container: 'init', reason: 'ErrImagePull', message: 'why' },
      },
    ],
    ['it is being made', pod('False', 10, [waiting('ContainerCreating')]), {}, { health: 'starting' }],
  ];
  test.each(rows)('%s', (_name, given, rule, expected) => {
    expect(healthOfPod(given, { now: 100_000, ...rule })).toEqual(expected);
  });
});

describe('a pod that is Ready since before it was made, by a kubelet whose clock is behind', () => {
  const rows: readonly [string, number, object, object][] = [
    ['was Ready for no longer than it is there', 98, { minReadySeconds: 60 }, { healthyAt: 158_000 }],
    ['is healthy when that is long enough', 40, { minReadySeconds: 60 }, { health: 'healthy' }],
    ['is healthy at once where no time is asked', 98, {}, { health: 'healthy' }],
    [
      'is waited for where the API server that made it is ahead',
      130,
      { minReadySeconds: 5 },
      { healthyAt: 135_000 },
    ],
    ['is healthy where that one is ahead and no time is asked', 130, {}, { health: 'healthy' }],
    [
      'on a node that is away, is as healthy',
      40,
      { minReadySeconds: 60, awaySince: 90_000 },
      { health: 'healthy' },
    ],
  ];
  test.each(rows)('%s', (_name, made, rule, expected) => {
    const given = pod('True', -3_500, [container()], { made });
    expect(healthOfPod(given, { now: 100_000, ...rule })).toMatchObject(expected);
  });
});

describe('a pod on a node that is away since 50 s counts as it was before', () => {
  const away = { now: 100_000, awaySince: 50_000 };
  const rows: readonly [string, SeenPod, object, string][] = [
    ['Ready until then', pod('False', 51, [], { made: -550 }), away, 'healthy'],
    [
      'Ready until then, and made less than ten minutes before',
      pod('False', 51, [], { made: -549 }),
      away,
      'starting',
    ],
    ['not Ready since before', pod('False', 40), away, 'starting'],
    ['blocked since before', pod('False', 40, [waiting('ErrImagePull')]), away, 'broken'],
    [
      'started and never Ready',
      pod('False', 10, [], { made: -590 }),
      { ...away, awaySince: 10_000 },
      'starting',
    ],
    ['Ready until that very moment', pod('False', 50, [], { made: -550 }), away, 'healthy'],
    ['Ready all the time', pod('True', 20), away, 'healthy'],
    [
      'whether it was Ready long enough is not known',
      pod('False', 51, [], { made: -550 }),
      { ...away, minReadySeconds: 5 },
      'starting',
    ],
  ];
  test.each(rows)('%s', (_name, given, rule, expected) => {
    expect(healthOfPod(given, { now: 100_000, ...rule }).health).toBe(expected);
  });
});

it('a pod that is terminating or not Ready is never healthy where its node is there', () => {
  const anyPod = fc.record({
    ready: fc.constantFrom('True', 'False', 'Unknown', undefined),
    since: fc.nat(200),
    reason: fc.constantFrom('ContainerCreating', ...Object.keys(waitingWords)),
    phase: fc.constantFrom('Pending', 'Running', 'Failed', 'Succeeded', 'Unknown'),
    deleted: fc.option(fc.nat(200), { nil: undefined }),
    minReadySeconds: fc.nat(50),
  });
  fc.assert(
    fc.property(anyPod, ({ ready, since, reason, phase, deleted, minReadySeconds }) => {
      const over = { phase, ...(deleted === undefined ? {} : { deleted }) };
      const { health, healthyAt } = healthOfPod(pod(ready, since, [waiting(reason)], over), {
        now: 100_000,
        minReadySeconds,
      });
      const serves = ready === 'True' && deleted === undefined && phase !== 'Failed' && phase !== 'Succeeded';
      // A kubelet's clock may be ahead: without minReadySeconds no time is asked.
      const isLongEnough = minReadySeconds === 0 || since + minReadySeconds <= 100;
      expect(health === 'healthy').toBe(serves && isLongEnough);
      expect(healthyAt ?? Infinity).toBeGreaterThan(100_000);
    }),
  );
});

test('nothing is blocked in a pod whose containers run', () => {
  expect(healthOfPod(pod('False'), { now: 100_000 }).blocked).toBeUndefined();
});

test.each(Object.keys(waitingWords))(
  'a pod with a container that waits because of %s is broken',
  (reason) => {
    const { health, blocked } = healthOfPod(pod('False', 10, [waiting(reason)]), { now: 100_000 });
    expect([health, blocked?.reason]).toEqual(['broken', reason]);
  },
);
