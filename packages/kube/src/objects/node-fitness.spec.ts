import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  nodeMisfit,
  nodeSelectorMatches,
  nodeSelectorTermMatches,
  tolerates,
  untoleratedTaint,
  type NodeLike,
} from './node-fitness.ts';
import type { NodeSelectorTerm, Taint, Toleration } from '../types/index.ts';

const node: NodeLike = {
  metadata: { name: 'edge-1', labels: { zone: 'hz', cores: '8', 'kubernetes.io/os': 'linux' } },
  spec: { taints: [{ key: 'edge', value: 'yes', effect: 'NoSchedule' }] },
};

describe('tolerations', () => {
  const taint: Taint = { key: 'edge', value: 'yes', effect: 'NoSchedule' };
  test.each<[Toleration, boolean]>([
    [{ key: 'edge', operator: 'Equal', value: 'yes', effect: 'NoSchedule' }, true],
    [{ key: 'edge', value: 'yes', effect: 'NoSchedule' }, true],
    [{ key: 'edge', operator: '', value: 'yes' }, true],
    [{ key: 'edge', operator: 'Exists', effect: 'NoSchedule' }, true],
    [{ key: 'edge', operator: 'Exists' }, true],
    [{ operator: 'Exists' }, true],
    [{ key: '', operator: 'Exists', effect: '' }, true],
    [{ operator: 'Exists', effect: 'NoSchedule' }, true],
    [{ operator: 'Exists', effect: 'NoExecute' }, false],
    [{ key: 'edge', value: 'no', effect: 'NoSchedule' }, false],
    [{ key: 'edge' }, false],
    [{ key: 'other', operator: 'Exists' }, false],
    [{ key: 'edge', value: 'yes', effect: 'NoExecute' }, false],
    [{ key: 'edge', operator: 'Gt', value: 'yes' }, false],
    [{}, false],
    [{ value: 'yes' }, false],
  ])('%j covers the taint: %j', (toleration, covers) => {
    expect(tolerates(toleration, taint)).toBe(covers);
  });

  test.each([
    ['Gt', '5', '6', true],
    ['Gt', '6', '6', false],
    ['Lt', '-5', '-6', true],
    ['Lt', '9', '10', false],
    ['Gt', '9223372036854775806', '9223372036854775807', true],
    ['Lt', '9223372036854775808', '1', false],
    ['Lt', '010', '1', false],
    ['Gt', '0', '+1', false],
    ['Gt', '-0', '1', false],
    ['Gt', '0', '', false],
  ])('one with %s %s covers a taint with the value %j: %j', (operator, value, found, covers) => {
    const toleration = { key: 'cores', operator, value } as Toleration;
    expect(tolerates(toleration, { key: 'cores', value: found, effect: 'NoSchedule' })).toBe(covers);
    expect(tolerates(toleration, { key: 'other', value: found, effect: 'NoSchedule' })).toBe(false);
  });

  test('a taint without a value is covered by a toleration without one', () => {
    expect(tolerates({ key: 'a' }, { key: 'a', effect: 'NoExecute' })).toBe(true);
    expect(tolerates({ key: 'a', value: '' }, { key: 'a', effect: 'NoExecute' })).toBe(true);
  });

  test('only taints with the asked effects count', () => {
    const taints: Taint[] = [
      { key: 'soft', effect: 'PreferNoSchedule' },
      { key: 'hard', effect: 'NoSchedule' },
      { key: 'out', effect: 'NoExecute' },
    ];
    expect(untoleratedTaint(taints, [])?.key).toBe('hard');
    expect(untoleratedTaint(taints, [], ['NoExecute'])?.key).toBe('out');
    expect(untoleratedTaint(taints, [{ key: 'hard', operator: 'Exists' }])?.key).toBe('out');
    expect(untoleratedTaint(taints, [{ operator: 'Exists' }])).toBeUndefined();
  });
});

describe('node selector terms', () => {
  test.each<[NodeSelectorTerm, boolean]>([
    [{}, false],
    [{ matchExpressions: [], matchFields: [] }, false],
    [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['hz', 'sh'] }] }, true],
    [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['sh'] }] }, false],
    [{ matchExpressions: [{ key: 'zone', operator: 'In', values: [] }] }, false],
    [{ matchExpressions: [{ key: 'zone', operator: 'NotIn', values: ['sh'] }] }, true],
    [{ matchExpressions: [{ key: 'absent', operator: 'NotIn', values: ['sh'] }] }, true],
    [{ matchExpressions: [{ key: 'zone', operator: 'NotIn' }] }, false],
    [{ matchExpressions: [{ key: 'zone', operator: 'Exists' }] }, true],
    [{ matchExpressions: [{ key: 'zone', operator: 'Exists', values: ['x'] }] }, false],
    [{ matchExpressions: [{ key: 'zone', operator: 'DoesNotExist' }] }, false],
    [{ matchExpressions: [{ key: 'absent', operator: 'DoesNotExist' }] }, true],
    [{ matchExpressions: [{ key: 'cores', operator: 'Gt', values: ['7'] }] }, true],
    [{ matchExpressions: [{ key: 'cores', operator: 'Lt', values: ['8'] }] }, false],
    [{ matchExpressions: [{ key: 'zone', operator: 'Gt', values: ['7'] }] }, false],
    [{ matchExpressions: [{ key: 'zone', operator: 'Like', values: ['hz'] }] }, false],
    [
      {
        matchExpressions: [
          { key: 'zone', operator: 'Exists' },
          { key: 'cores', operator: 'Gt', values: ['8'] },
        ],
      },
      false,
    ],
    [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['edge-1'] }] }, true],
    [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['edge-2'] }] }, false],
    [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['edge-1', 'edge-2'] }] }, false],
    [{ matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: ['edge-2'] }] }, true],
    [{ matchFields: [{ key: 'metadata.name', operator: 'Exists' }] }, false],
    [{ matchFields: [{ key: 'metadata.uid', operator: 'NotIn', values: ['x'] }] }, false],
    [
      {
        matchExpressions: [{ key: 'zone', operator: 'In', values: ['sh'] }],
        matchFields: [{ key: 'metadata.name', operator: 'In', values: ['edge-1'] }],
      },
      false,
    ],
  ])('%j matches: %j', (term, matches) => {
    expect(nodeSelectorTermMatches(term, node)).toBe(matches);
  });

  test('terms are alternatives, and none match nothing', () => {
    const no: NodeSelectorTerm = { matchExpressions: [{ key: 'absent', operator: 'Exists' }] };
    const yes: NodeSelectorTerm = { matchExpressions: [{ key: 'zone', operator: 'Exists' }] };
    expect(nodeSelectorMatches({ nodeSelectorTerms: [no, yes] }, node)).toBe(true);
    expect(nodeSelectorMatches({ nodeSelectorTerms: [no, {}] }, node)).toBe(false);
    expect(nodeSelectorMatches({ nodeSelectorTerms: [] }, node)).toBe(false);
  });
});

describe('a pod and a node', () => {
  const tolerations: Toleration[] = [{ key: 'edge', operator: 'Exists' }];

  test('fit where every rule is met', () => {
    expect(
      nodeMisfit({ nodeName: 'edge-1', nodeSelector: { zone: 'hz' }, tolerations }, node),
    ).toBeUndefined();
    expect(nodeMisfit({}, { metadata: { name: 'plain' } })).toBeUndefined();
  });

  test('the first broken rule is returned', () => {
    expect(nodeMisfit({ nodeName: 'edge-2' }, node)).toEqual({ reason: 'node-name', wanted: 'edge-2' });
    expect(nodeMisfit({ nodeSelector: { zone: 'sh' } }, node)).toEqual({
      reason: 'node-selector',
      key: 'zone',
      wanted: 'sh',
    });
    const affinity = {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } },
    };
    expect(nodeMisfit({ affinity, tolerations }, node)).toEqual({ reason: 'node-affinity' });
    expect(nodeMisfit({}, node)).toEqual({
      reason: 'taint',
      taint: { key: 'edge', value: 'yes', effect: 'NoSchedule' },
    });
  });

  test('a pod that runs already is driven off by NoExecute only', () => {
    expect(nodeMisfit({}, node, ['NoExecute'])).toBeUndefined();
  });
});

test('more tolerations never make more nodes unfit', () => {
  const taint = fc.record({
    key: fc.constantFrom('a', 'b'),
    value: fc.constantFrom('', 'x'),
    effect: fc.constantFrom('NoSchedule', 'NoExecute', 'PreferNoSchedule'),
  });
  const toleration: fc.Arbitrary<Toleration> = fc.record(
    {
      key: fc.constantFrom('', 'a', 'b'),
      operator: fc.constantFrom('', 'Equal', 'Exists'),
      value: fc.constantFrom('', 'x'),
      effect: fc.constantFrom('', 'NoSchedule', 'NoExecute'),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.array(taint), fc.array(toleration), fc.array(toleration), (taints, some, more) => {
      const before = untoleratedTaint(taints, some);
      const after = untoleratedTaint(taints, [...some, ...more]);
      expect(after === undefined || before !== undefined).toBe(true);
    }),
  );
});

describe('templates that are not typed', () => {
  const anything = fc.jsonValue({ maxDepth: 2 });

  test('never make a judgement fail, whatever they hold', () => {
    fc.assert(
      fc.property(anything, anything, anything, (tolerations, nodeSelectorTerms, nodeSelector) => {
        const requiredDuringSchedulingIgnoredDuringExecution = { nodeSelectorTerms };
        const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution } };
        expect(() => nodeMisfit({ tolerations, affinity } as never, node)).not.toThrow();
        expect(() => nodeMisfit({ nodeSelector } as never, node)).not.toThrow();
      }),
    );
  });

  test.each([[null], ['edge'], [[null]], [[{ matchExpressions: 'zone' }]], [[{ matchExpressions: [null] }]]])(
    'node selector terms %j match nothing',
    (nodeSelectorTerms) => {
      expect(nodeSelectorMatches({ nodeSelectorTerms } as never, node)).toBe(false);
    },
  );

  test.each([[null], ['edge'], [[null]], [['edge']]])('tolerations %j tolerate nothing', (tolerations) => {
    expect(untoleratedTaint(node.spec?.taints ?? [], tolerations as never)).toBeDefined();
  });

  test('a number that is not quoted is none: it matches nothing and tolerates nothing', () => {
    const labelled = { metadata: { name: 'a', labels: { cpus: '8' } } };
    const nodeSelectorTerms = [{ matchExpressions: [{ key: 'cpus', operator: 'Gt', values: [4] }] }];
    expect(nodeSelectorMatches({ nodeSelectorTerms } as never, labelled)).toBe(false);
    const taint = { key: 'sla', value: '950', effect: 'NoSchedule' };
    expect(tolerates({ key: 'sla', operator: 'Gt', value: 900 } as never, taint)).toBe(false);
  });
});
