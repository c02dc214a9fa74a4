import { describe, expect, it } from 'vitest';
import type { NodePool, PoolWorkload } from '@atoll/api';
import { app, pool, workload } from './admission.fixture.ts';
import { defaultNodePool } from './node-pool/default-node-pool.ts';
import { defaultPoolWorkload } from './pool-workload/default-pool-workload.ts';
import { nodePoolWarnings } from './node-pool/validate-node-pool.ts';

describe('the defaults of a workload', () => {
  it.each(['deploymentTemplate', 'statefulSetTemplate'] as const)('fill the selector of a %s', (member) => {
    const filled = defaultPoolWorkload(workload({}, member));
    expect(filled.spec.workloadTemplate[member]?.spec).toMatchObject({ selector: { matchLabels: app } });
    expect(defaultPoolWorkload(filled)).toEqual(filled);
  });

  it('leave a selector that is given, and everything of the pods', () => {
    const given = workload({}, 'deploymentTemplate', { selector: { matchLabels: { other: 'x' } } });
    expect(defaultPoolWorkload(given)).toEqual(given);
  });

  it.each<readonly [string, unknown]>([
    ['no template', {}],
    ['a template that is none', { workloadTemplate: 'x', selector: {} }],
    ['a member that is none', { workloadTemplate: { deploymentTemplate: 3 }, selector: {} }],
  ])('leave what the schema will refuse: %s', (_, spec) => {
    const broken = { metadata: { name: 'x' }, spec } as PoolWorkload;
    expect(defaultPoolWorkload(broken)).toEqual(broken);
  });
});

describe('the defaults of a pool', () => {
  const typeLabels = (value: string) => ({
    'nodepool.openyurt.io/type': value,
    'openyurt.io/node-pool-type': value,
  });

  it.each<readonly [NodePool['spec'], string]>([
    [undefined, 'edge'],
    [{ type: 'Edge' }, 'edge'],
    [{ type: 'Cloud' }, 'cloud'],
  ])('say the type %j under both keys', (spec, value) => {
    const given: NodePool = { metadata: { name: 'p', labels: { mine: 'x' } }, ...(spec && { spec }) };
    const filled = defaultNodePool(given, true);
    expect(filled.metadata.labels).toEqual({ mine: 'x', ...typeLabels(value) });
    expect(filled.spec).toEqual(spec);
  });

  it('leave a type that the schema will refuse', () => {
    const given = { metadata: { name: 'p' }, spec: { type: 'Sky' } } as unknown as NodePool;
    expect(defaultNodePool(given, true)).toBe(given);
  });

  it('read the host network from the annotation of old clients, at the beginning only', () => {
    const metadata = { name: 'p', annotations: { 'nodepool.openyurt.io/hostnetwork': 'TRUE' } };
    expect(defaultNodePool({ metadata }, true).spec).toEqual({ hostNetwork: true });
    expect(defaultNodePool({ metadata, spec: { hostNetwork: false } }, true).spec).toEqual({
      hostNetwork: false,
    });
    expect(defaultNodePool({ metadata, spec: {} }, false).spec).toEqual({});
  });
});

describe('the warnings about a pool', () => {
  it('are none for what the schema takes', () => {
    const spec = {
      labels: { a: 'b' },
      annotations: { 'x/y': 'any thing' },
      taints: [{ key: 'k', effect: 'NoSchedule' as const }],
    };
    expect(nodePoolWarnings(pool('north', spec))).toEqual([]);
  });

  it('name each value that no node can carry, as objects from before the schema may have', () => {
    const spec = {
      labels: {
        'a b': 'c',
        zone: 'not valid',
        'kubernetes.io/hostname': 'x',
        'node-restriction.kubernetes.io/site': 'x',
      },
      annotations: { 'x y': '' },
      taints: [{ key: 'k', value: 'a b', effect: 'NoSchedule' as const }],
    };
    const warnings = nodePoolWarnings(pool('x'.repeat(64), spec));
    expect(warnings.map((text) => text.split(':')[0])).toEqual([
      'metadata.name',
      'spec.labels',
      'spec.labels[zone]',
      'spec.labels',
      'spec.labels',
      'spec.annotations',
      'spec.taints[0].value',
    ]);
    expect(warnings[0]).toMatch(/must be no more than 63 bytes, so no node can be in this pool$/);
    expect(warnings[3]).toBe(
      'spec.labels: "kubernetes.io/hostname" says what a node is, so nodes that have it keep their own value: set it on the nodes themselves',
    );
    expect(nodePoolWarnings(pool('north', { annotations: { site: 'x'.repeat(140_000) } }))[0]).toMatch(
      /^spec.annotations takes 2800\d\d bytes .* the API server allows 262144, so no node can be written$/,
    );
    expect(warnings[4]).toMatch(/^spec.labels: "node-restriction.kubernetes.io\/site" keeps workloads apart/);
  });
});
