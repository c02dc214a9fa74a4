import { describe, expect, it } from 'vitest';
import type { NodeSelectorTerm, Taint, Toleration } from '@atoll/kube';
import { fitsNode, type PlacedPodSpec } from './node-fit.ts';

const labels = { zone: 'a', disk: 'ssd', cores: '8' };

function fits(spec: PlacedPodSpec, taints: readonly Taint[] = []): boolean {
  return fitsNode(spec, { metadata: { name: 'n1', labels }, spec: { taints } });
}

function terms(...nodeSelectorTerms: readonly NodeSelectorTerm[]): PlacedPodSpec {
  return {
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
  };
}

describe('a pod fits to a node', () => {
  it.each<[string, PlacedPodSpec, boolean]>([
    ['that nothing keeps it off', {}, true],
    ['by its name', { nodeName: 'n1' }, true],
    ['of another name', { nodeName: 'n2' }, false],
    ['by all labels of its selector', { nodeSelector: { zone: 'a', disk: 'ssd' } }, true],
    ['without one of them', { nodeSelector: { zone: 'a', disk: 'hdd' } }, false],
    ['that has no such label', { nodeSelector: { constructor: 'x' } }, false],
    [
      'by one of several terms',
      terms({ matchFields: [one('metadata.name', 'n2')] }, { matchExpressions: [one('zone', 'a')] }),
      true,
    ],
    [
      'where every part of a term',
      terms({ matchExpressions: [one('zone', 'a'), one('disk', 'hdd')] }),
      false,
    ],
    ['by a field', terms({ matchFields: [one('metadata.name', 'n1')] }), true],
    ['by no empty term', terms({}), false],
    ['by no empty list of terms', terms(), false],
    [
      'that lacks what it must not have',
      terms({ matchExpressions: [{ key: 'gpu', operator: 'NotIn', values: ['x'] }] }),
      true,
    ],
    ['that has what has to exist', terms({ matchExpressions: [{ key: 'zone', operator: 'Exists' }] }), true],
    [
      'that has what must not exist',
      terms({ matchExpressions: [{ key: 'zone', operator: 'DoesNotExist' }] }),
      false,
    ],
    [
      'by a number above',
      terms({ matchExpressions: [{ key: 'cores', operator: 'Gt', values: ['7'] }] }),
      true,
    ],
    [
      'by a number below',
      terms({ matchExpressions: [{ key: 'cores', operator: 'Lt', values: ['8'] }] }),
      false,
    ],
    [
      'by a number that is none',
      terms({ matchExpressions: [{ key: 'zone', operator: 'Gt', values: ['7'] }] }),
      false,
    ],
  ])('%s', (_, spec, expected) => {
    expect(fits(spec)).toBe(expected);
  });

  const key = 'dedicated';
  it.each<[string, Taint, readonly Toleration[], boolean]>([
    ['a taint that keeps others off', { key, value: 'x', effect: 'NoSchedule' }, [], false],
    ['a taint that ends others', { key, value: 'x', effect: 'NoExecute' }, [], false],
    ['a taint that only warns', { key, value: 'x', effect: 'PreferNoSchedule' }, [], true],
    ['a taint that it tolerates', { key, value: 'x', effect: 'NoSchedule' }, [{ key, value: 'x' }], true],
    ['another value', { key, value: 'x', effect: 'NoSchedule' }, [{ key, value: 'y' }], false],
    ['any value', { key, value: 'x', effect: 'NoSchedule' }, [{ key, operator: 'Exists' }], true],
    ['everything', { key, value: 'x', effect: 'NoSchedule' }, [{ operator: 'Exists' }], true],
    [
      'another effect',
      { key, effect: 'NoExecute' },
      [{ key, operator: 'Exists', effect: 'NoSchedule' }],
      false,
    ],
    ['a node that is away', { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }, [], true],
    ['a node that is cordoned', { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }, [], true],
    [
      'a node without a network',
      { key: 'node.kubernetes.io/network-unavailable', effect: 'NoSchedule' },
      [],
      false,
    ],
  ])('with %s', (_, taint, tolerations, expected) => {
    expect(fits({ tolerations }, [taint])).toBe(expected);
  });

  it('without a network, where it uses that of the host', () => {
    const taint = { key: 'node.kubernetes.io/network-unavailable', effect: 'NoSchedule' };
    expect(fits({ hostNetwork: true }, [taint])).toBe(true);
  });
});

function one(key: string, value: string) {
  return { key, operator: 'In', values: [value] };
}
