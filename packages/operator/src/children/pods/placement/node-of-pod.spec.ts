import type { Pod } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { podOn } from '../../../daemon-set/daemon-set.fixture.ts';
import { nodeOf } from './node-of-pod.ts';

describe('the node of a pod', () => {
  const wanting = (...matchFields: readonly object[]): Pod =>
    ({
      spec: {
        containers: [],
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] },
          },
        },
      },
    }) as unknown as Pod;
  const byName = { key: 'metadata.name', operator: 'In', values: ['a'] };

  it.each<[string, Pod, string | undefined]>([
    ['is the one to which it is bound', podOn('a'), 'a'],
    ['is the one for which its controller made it', wanting(byName), 'a'],
    ['is read from the field of the name only', wanting({ ...byName, key: 'metadata.uid' }, byName), 'a'],
    ['is none that it avoids', wanting({ ...byName, operator: 'NotIn' }), undefined],
    ['is none of several', wanting({ ...byName, values: ['a', 'b'] }), undefined],
    ['is none without values', wanting({ key: 'metadata.name', operator: 'In' }), undefined],
    ['is none before it is bound', { spec: { containers: [], nodeName: '' } } as unknown as Pod, undefined],
    ['is none without a spec', {} as Pod, undefined],
  ])('%s', (_, pod, expected) => {
    expect(nodeOf(pod)).toBe(expected);
  });
});
