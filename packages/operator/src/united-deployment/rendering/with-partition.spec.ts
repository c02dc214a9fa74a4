import { describe, expect, test } from 'vitest';
import type { ChildKind } from '../subsets/child-kind.ts';
import { withPartition } from './with-partition.ts';

describe('a partition', () => {
  const rows: readonly [ChildKind, object | undefined, object | undefined][] = [
    ['Deployment', undefined, undefined],
    ['StatefulSet', undefined, { type: 'RollingUpdate', rollingUpdate: { partition: 2 } }],
    [
      'StatefulSet',
      { rollingUpdate: { maxUnavailable: 1 } },
      { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, partition: 2 } },
    ],
    ['StatefulSet', { type: 'OnDelete' }, { type: 'OnDelete' }],
    ['AdvancedStatefulSet', undefined, { rollingUpdate: { partition: 2 } }],
    [
      'AdvancedStatefulSet',
      { type: 'RollingUpdate', rollingUpdate: { podUpdatePolicy: 'InPlaceOnly' } },
      { type: 'RollingUpdate', rollingUpdate: { podUpdatePolicy: 'InPlaceOnly', partition: 2 } },
    ],
    ['CloneSet', { type: 'InPlaceOnly', maxSurge: 1 }, { type: 'InPlaceOnly', maxSurge: 1, partition: 2 }],
    [
      'CloneSet',
      { type: 'RollingUpdate', rollingUpdate: { podUpdatePolicy: 'InPlaceOnly', maxSurge: 1 } },
      { type: 'InPlaceOnly', maxSurge: 1, partition: 2 },
    ],
    ['CloneSet', { type: 'OnDelete', rollingUpdate: {} }, { type: 'OnDelete', partition: 2 }],
  ];
  test.each(rows)('of a %s with %j is %j', (kind, updateStrategy, wanted) => {
    const spec = updateStrategy === undefined ? {} : { updateStrategy };
    expect(withPartition(kind, spec, 2)['updateStrategy']).toEqual(wanted);
  });
});
