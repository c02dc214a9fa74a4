import { describe, expect, test } from 'vitest';
import { isIsolationLabel, isReservedLabel } from './reserved-labels.ts';

describe('a label of a node', () => {
  test.each([
    'kubernetes.io/hostname',
    'kubernetes.io/os',
    'beta.kubernetes.io/instance-type',
    'topology.kubernetes.io/zone',
    'topology.kubernetes.io/rack',
    'failure-domain.beta.kubernetes.io/region',
    'node.kubernetes.io/instance-type',
    'kubelet.kubernetes.io/some',
  ])('%s says what the node is', (key) => {
    expect(isReservedLabel(key)).toBe(true);
  });

  test.each([
    'tier',
    'example.com/zone',
    'kubernetes.io/role',
    'node-role.kubernetes.io/edge',
    'node-restriction.kubernetes.io/site',
    'topology.ebs.csi.aws.com/zone',
    'my-node.kubernetes.io',
  ])('%s may be what its pool is', (key) => {
    expect(isReservedLabel(key)).toBe(false);
  });

  test.each([
    ['node-restriction.kubernetes.io/site', true],
    ['example.com.node-restriction.kubernetes.io/site', true],
    ['node-restriction.kubernetes.io', false],
    ['my-node-restriction.kubernetes.io/site', false],
    ['example.com/node-restriction.kubernetes.io', false],
  ])('%s isolates nodes: %s', (key, isolates) => {
    expect(isIsolationLabel(key)).toBe(isolates);
  });
});
