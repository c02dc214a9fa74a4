import { compileSelector, type Node, type PodTemplateSpec } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { ago, node, template } from '../../extended-daemon-set.fixture.ts';
import { nodeEligibility, type NodeEligibility } from './node-eligibility.ts';

type Taint = NonNullable<NonNullable<Node['spec']>['taints']>[number];

const ofNode = (name: string, effect: string): Taint => ({ key: `node.kubernetes.io/${name}`, effect });

function withSpec(spec: object): PodTemplateSpec {
  return { ...template('x'), spec: { ...template('x').spec, ...spec } } as PodTemplateSpec;
}

/** As the README of the old operator shows it. */
const excluding = withSpec({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          {
            matchExpressions: [
              { key: 'extendeddaemonset.datadoghq.com/exclude', operator: 'NotIn', values: ['agent'] },
            ],
          },
        ],
      },
    },
  },
});

describe('a node', () => {
  it.each<[string, NodeEligibility, readonly Taint[]]>([
    ['that is cordoned', 'eligible', [ofNode('unschedulable', 'NoSchedule')]],
    ['that lacks memory', 'eligible', [ofNode('memory-pressure', 'NoSchedule')]],
    ['that lacks process ids (BUG-25)', 'eligible', [ofNode('pid-pressure', 'NoSchedule')]],
    ['that is not ready', 'away', [ofNode('not-ready', 'NoSchedule'), ofNode('not-ready', 'NoExecute')]],
    ['that somebody tainted NoSchedule (BUG-25)', 'tainted', [{ key: 'mine', effect: 'NoSchedule' }]],
    ['that somebody tainted NoExecute', 'unfit', [{ key: 'mine', effect: 'NoExecute' }]],
    [
      'that is away and that somebody tainted NoSchedule',
      'tainted',
      [ofNode('unreachable', 'NoSchedule'), { key: 'mine', effect: 'NoSchedule' }],
    ],
  ])('%s is %s', (_, expected, taints) => {
    expect(nodeEligibility(template('x'))(node('a', { taints }))).toBe(expected);
  });

  it('is eligible where the template tolerates its taint', () => {
    const tolerating = withSpec({ tolerations: [{ key: 'mine', operator: 'Exists' }] });
    const tainted = node('a', { taints: [{ key: 'mine', effect: 'NoExecute' }] });
    expect(nodeEligibility(tolerating)(tainted)).toBe('eligible');
  });

  it.each<[string, string, NodeEligibility]>([
    ['Gt', '900', 'eligible'],
    ['Gt', '950', 'unfit'],
    ['Lt', '1000', 'eligible'],
    ['Lt', '950', 'unfit'],
  ])(
    'with the taint sla=950 is judged by number where the template tolerates it with %s %s: %s',
    (operator, value, is) => {
      const tolerating = withSpec({ tolerations: [{ key: 'sla', operator, value, effect: 'NoExecute' }] });
      const tainted = node('a', { taints: [{ key: 'sla', value: '950', effect: 'NoExecute' }] });
      expect(nodeEligibility(tolerating)(tainted)).toBe(is);
    },
  );

  it('is unfit where its labels are not those of the template, tainted or away besides or not', () => {
    const asked = nodeEligibility(withSpec({ nodeSelector: { disk: 'ssd' } }));
    expect(asked(node('a', { labels: { disk: 'ssd' } }))).toBe('eligible');
    expect(asked(node('a'))).toBe('unfit');
    expect(asked(node('a', { taints: [{ key: 'mine', effect: 'NoSchedule' }] }))).toBe('unfit');
    expect(asked(node('a', { awaySince: ago(60) }))).toBe('unfit');
  });

  it('is unfit where a label excludes it from the object, and no other', () => {
    const exclude = 'extendeddaemonset.datadoghq.com/exclude';
    const eligibilityOf = nodeEligibility(excluding);
    const found = ['agent', 'other'].map((name) => eligibilityOf(node('a', { labels: { [exclude]: name } })));
    expect([...found, eligibilityOf(node('a'))]).toEqual(['unfit', 'eligible', 'eligible']);
  });

  it('is unfit where the selector of the object does not select it', () => {
    const north = nodeEligibility(template('x'), compileSelector({ matchLabels: { zone: 'north' } }));
    expect([north(node('a', { labels: { zone: 'north' } })), north(node('a'))]).toEqual([
      'eligible',
      'unfit',
    ]);
  });
});
