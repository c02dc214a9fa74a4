import { expect, it } from 'vitest';
import type { Pod, Stored } from '@atoll/kube';
import { stuckPodOf } from './stuck-pod.ts';

const now = Date.UTC(2026, 0, 1, 12);
const at = (secondsAgo: number): string => new Date(now - secondsAgo * 1_000).toISOString();

interface Shape {
  readonly revision?: string;
  /** Seconds since it became so; undefined: nothing is said of it. */
  readonly ready?: number;
  readonly unready?: number;
  readonly going?: boolean;
  readonly age?: number;
}

function pod(ordinal: number, { revision = 'old', ready, unready, going, age = 3_600 }: Shape): Stored<Pod> {
  const since = ready ?? unready;
  const conditions =
    since === undefined
      ? []
      : [
          {
            type: 'Ready',
            status: ready === undefined ? ('False' as const) : ('True' as const),
            lastTransitionTime: at(since),
          },
        ];
  return {
    metadata: {
      name: `web-${ordinal}`,
      uid: `uid-${ordinal}`,
      resourceVersion: '1',
      creationTimestamp: at(age),
      labels: { 'controller-revision-hash': revision },
      ...(going === true ? { deletionTimestamp: at(1) } : {}),
    },
    status: { conditions },
  } as Stored<Pod>;
}

const fine = { ready: 600 };
const broken = { unready: 61 };
const fresh = { revision: 'new', ready: 10 };

it.each<readonly [string, readonly (Shape | undefined)[], number, string | undefined, number | undefined]>([
  ['a broken one goes', [fine, broken], 0, 'web-1', undefined],
  ['of several broken the first goes', [fine, broken, broken], 0, 'web-1', undefined],
  ['above ten as below', [...Array<Shape>(11).fill(fine), broken, broken], 0, 'web-11', undefined],
  ['one that never said anything is broken since it was made', [{ age: 61 }], 0, 'web-0', undefined],
  ['one that is slow gets its time', [fine, { unready: 20 }], 0, undefined, 40],
  ['the first of two slow ones is looked at again', [{ unready: 50 }, { unready: 20 }], 0, undefined, 10],
  ['a broken one goes although a higher one is slow', [broken, { unready: 20 }], 0, 'web-0', undefined],
  ['a broken one stays while a lower one is slow', [{ unready: 20 }, broken], 0, undefined, 40],
  ['a healthy one never goes', [fine, fine], 0, undefined, undefined],
  ['one that is going needs no help', [{ ...broken, going: true }], 0, undefined, undefined],
  ['none goes while another one is going', [broken, { ...broken, going: true }], 0, undefined, undefined],
  ['none goes while a healthy one is going', [broken, { ...fine, going: true }], 0, undefined, undefined],
  ['none goes while a lower one is missing', [undefined, broken, broken], 0, undefined, undefined],
  ['one goes although a higher one is missing', [fine, broken, undefined, fine], 0, 'web-1', undefined],
  ['one below the partition stays', [broken, fresh], 1, undefined, undefined],
  [
    'one stays for which a broken one below the partition is waited',
    [broken, broken],
    1,
    undefined,
    undefined,
  ],
  [
    'none goes while the new template is broken too',
    [broken, { revision: 'new', unready: 300 }],
    0,
    undefined,
    undefined,
  ],
  ['one goes while the new template does well', [broken, fresh], 0, 'web-0', undefined],
  [
    'a broken one of the new template is not helped',
    [{ revision: 'new', unready: 300 }],
    0,
    undefined,
    undefined,
  ],
])('%s', (_, shapes, partition, gone, againInSeconds) => {
  const pods = shapes.flatMap((shape, ordinal) => (shape === undefined ? [] : [pod(ordinal, shape)]));
  const found = stuckPodOf({ pods, updateRevision: 'new', partition, firstOrdinal: 0 }, now);
  const again = found.requeueAt === undefined ? undefined : (found.requeueAt - now) / 1_000;
  expect([found.pod?.metadata.name, again]).toEqual([gone, againInSeconds]);
});

it('counts from the first ordinal of the StatefulSet', () => {
  const pods = [pod(5, fine), pod(6, broken)];
  const of = { pods, updateRevision: 'new', partition: 0 };
  expect(stuckPodOf({ ...of, firstOrdinal: 5 }, now).pod?.metadata.name).toBe('web-6');
  expect(stuckPodOf({ ...of, firstOrdinal: 4 }, now).pod).toBeUndefined();
});

it('counts the pods that the partition holds back from the first ordinal, as the StatefulSet does', () => {
  const pods = [pod(100, broken), pod(101, broken), pod(102, fresh)];
  const of = { pods, updateRevision: 'new', firstOrdinal: 100 };
  expect(stuckPodOf({ ...of, partition: 2 }, now)).toEqual({ pod: undefined, requeueAt: undefined });
  expect(stuckPodOf({ ...of, partition: 0 }, now).pod?.metadata.name).toBe('web-100');
});
