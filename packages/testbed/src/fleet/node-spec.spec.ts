import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nodeSpecsOf, poolLabel, zoneLabel } from './node-spec.ts';

describe('the nodes of a shape', () => {
  it('are dealt to pools, and in each pool to zones', () => {
    const specs = nodeSpecsOf({ pools: ['hz', 'sh'], nodesPerPool: 3, zones: ['a', 'b'] });
    expect(specs.map(({ name, labels }) => [name, labels[poolLabel], labels[zoneLabel]])).toEqual([
      ['hz-node-1', 'hz', 'a'],
      ['hz-node-2', 'hz', 'b'],
      ['hz-node-3', 'hz', 'a'],
      ['sh-node-1', 'sh', 'a'],
      ['sh-node-2', 'sh', 'b'],
      ['sh-node-3', 'sh', 'a'],
    ]);
  });

  it('belong to no pool where none is asked for', () => {
    const [spec] = nodeSpecsOf({ nodes: 1 });
    expect(spec?.name).toBe('node-1');
    expect(spec?.labels).not.toHaveProperty(poolLabel);
  });

  it('carry the taints of all and of their pool', () => {
    const all = { key: 'all', effect: 'NoSchedule' } as const;
    const own = { key: 'own', value: 'x', effect: 'NoExecute' } as const;
    const specs = nodeSpecsOf({ pools: 2, nodesPerPool: 1, taints: [all], poolTaints: { 'pool-2': [own] } });
    expect(specs.map((spec) => spec.taints)).toEqual([[all], [all, own]]);
  });

  it('take the smallest numbers that are free', () => {
    const taken = new Set(['hz-node-1', 'hz-node-3']);
    const specs = nodeSpecsOf({ pools: ['hz'], nodes: 3 }, taken);
    expect(specs.map((spec) => spec.name)).toEqual(['hz-node-2', 'hz-node-4', 'hz-node-5']);
  });

  it('are as many as asked for, all different, and spread evenly', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 60 }), (pools, nodes) => {
        const specs = nodeSpecsOf({ pools, nodes });
        expect(new Set(specs.map((spec) => spec.name)).size).toBe(nodes);
        const sizes = Array.from(
          { length: pools },
          (_, index) => specs.filter((spec) => spec.labels[poolLabel] === `pool-${index + 1}`).length,
        );
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
    );
  });
});
