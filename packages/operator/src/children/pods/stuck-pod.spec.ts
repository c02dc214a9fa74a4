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

it.each<readonly [string, readonly Shape[], number, string | undefined, number | undefined]>([
  ['a broken one goes', [fine, broken], 0, 'web-1', undefined],
  ['of several broken the highest goes', [broken, broken, fine], 0, 'web-1', undefined],
  ['above ten as below', Array<Shape>(12).fill(broken), 0, 'web-11', undefined],
  ['one that never said anything is broken since it was made', [{ age: 61 }], 0, 'web-0', undefined],
  ['one that is slow gets its time', [fine, { unready: 20 }], 0, undefined, 40],
  ['the first of two slow ones is looked at again', [{ unready: 50 }, { unready: 20 }], 0, undefined, 10],
  ['a broken one goes although a higher one is slow', [broken, { unready: 20 }], 0, 'web-0', undefined],
  ['a healthy one never goes', [fine, fine], 0, undefined, undefined],
  ['one that is going needs no help', [{ ...broken, going: true }], 0, undefined, undefined],
  ['one below the partition stays', [broken, fresh], 1, undefined, undefined],
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
  const pods = shapes.map((shape, ordinal) => pod(ordinal, shape));
  const found = stuckPodOf({ pods, updateRevision: 'new', partition }, now);
  const again = found.requeueAt === undefined ? undefined : (found.requeueAt - now) / 1_000;
  expect([found.pod?.metadata.name, again]).toEqual([gone, againInSeconds]);
});
