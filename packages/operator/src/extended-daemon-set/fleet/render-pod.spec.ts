import { extendedDaemonSetAnnotations as annotations, extendedDaemonSetLabels as labels } from '@atoll/api';
import { describe, expect, it } from 'vitest';
import { agent, node, replicaSet, template } from '../extended-daemon-set.fixture.ts';
import { podOverrides, withOverrides } from '../overrides/pod-overrides.ts';
import { placedOn, renderPod } from './render-pod.ts';

const required = 'requiredDuringSchedulingIgnoredDuringExecution';

it('a pod tolerates all that a node has by itself, as one of a native DaemonSet does (BUG-25)', () => {
  const { tolerations } = placedOn({ containers: [] }, 'n1');
  const ofNodes = (effect: string, names: readonly string[]) =>
    names.map((name) => ({ key: `node.kubernetes.io/${name}`, operator: 'Exists', effect }));
  // Source: AddOrUpdateDaemonPodTolerations of the native controller; the old operator lacks pid-pressure.
  const pressures = ['disk-pressure', 'memory-pressure', 'pid-pressure'];
  expect(tolerations).toEqual(
    expect.arrayContaining([
      ...ofNodes('NoExecute', ['not-ready', 'unreachable']),
      ...ofNodes('NoSchedule', [...pressures, 'unschedulable', 'network-unavailable']),
    ]),
  );
});

it('a pod keeps tolerations of its template beside those, and none twice', () => {
  const key = 'node.kubernetes.io/unschedulable';
  const of = (...own: readonly object[]) => placedOn({ tolerations: own } as never, 'n1').tolerations ?? [];
  const narrow = { key, operator: 'Equal', value: 'x', effect: 'NoSchedule' };
  const whole = { key, operator: 'Exists', effect: 'NoSchedule' };
  const other = { key, operator: 'Exists', effect: 'NoExecute' };
  const ofKey = (tolerations: readonly { readonly key?: string }[]) =>
    tolerations.filter((each) => each.key === key);
  expect(ofKey(of(whole))).toEqual([whole]);
  expect(ofKey(of(narrow))).toEqual([narrow, whole]);
  expect(ofKey(of(other))).toEqual([other, whole]);
});

it('a pod keeps each term of its template, and all of them name its node', () => {
  const matchExpressions = [
    { key: 'extendeddaemonset.datadoghq.com/exclude', operator: 'NotIn', values: ['agent'] },
  ];
  const terms = [
    { matchExpressions },
    { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n2'] }] },
  ];
  const given = { affinity: { nodeAffinity: { [required]: { nodeSelectorTerms: terms } } } };
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: ['n1'] }];
  const { affinity } = placedOn(given as never, 'n1');
  expect(affinity?.nodeAffinity?.[required]?.nodeSelectorTerms).toEqual([
    { matchExpressions, matchFields },
    { matchFields },
  ]);
});

const matchExpressions = [{ key: 'disk', operator: 'In', values: ['ssd'] }];

it.each([
  ['a list of terms', { nodeAffinity: { [required]: [{ matchExpressions }] } }],
  [
    'a misspelt list of terms',
    { nodeAffinity: { [required]: { nodeSelectorTerm: [{ matchExpressions }] } } },
  ],
  ['a node affinity that is a list', { nodeAffinity: [{ matchExpressions }] }],
  ['an affinity that is none', true],
  ['terms that are none', { nodeAffinity: { [required]: { nodeSelectorTerms: 'ssd' } } }],
])('%s in the template is left for the API server to refuse', (_, affinity) => {
  expect(placedOn({ affinity } as never, 'n1')).toMatchObject({ affinity });
});

it('a pod of a template that was copied from another pod has nothing of what was written on that one', () => {
  const given = { object: agent('agent:1'), node: 'a', isCanary: false, failures: 0 };
  const of = (spec: ReturnType<typeof template>) => {
    const set = replicaSet(1);
    const overrides = podOverrides(spec, given.object.metadata, node('a'), undefined);
    return renderPod({ ...given, replicaSet: { ...set, spec: { ...set.spec, template: spec } }, overrides });
  };
  const plain = template('agent:1');
  // All that a pod can carry, each with a value of its own.
  const everyLabel = Object.fromEntries(Object.values(labels).map((name) => [name, 'copied']));
  const everyAnnotation = Object.fromEntries(Object.values(annotations).map((name) => [name, '7']));
  const written = new Set([labels.settingName, labels.settingNamespace, labels.canary] as readonly string[]);
  const metadata = { labels: { ...plain.metadata?.labels, ...everyLabel }, annotations: everyAnnotation };
  const { labels: found = {}, annotations: noted = {} } = of({ ...plain, metadata }).metadata;
  expect(Object.keys(found).filter((name) => written.has(name))).toEqual([]);
  expect([noted[annotations.failedPods], noted[annotations.nodeHash]]).toEqual([undefined, undefined]);
  expect(found['app']).toBe('agent');
});

it('a pod shows what it is of, and what was made of it, as the old operator writes it', () => {
  const key = 'resources.extendeddaemonset.datadoghq.com/edge.agent.agent';
  const object = agent('agent:1');
  const replicas = replicaSet(1);
  const rendered = (over: { readonly isCanary: boolean; readonly failures: number }, found = {}) => {
    const overrides = podOverrides(
      template('agent:1'),
      object.metadata,
      node('a', { annotations: found }),
      undefined,
    );
    return renderPod({ object, replicaSet: replicas, node: 'a', overrides, ...over }).metadata;
  };
  const plain = rendered({ isCanary: false, failures: 0 });
  expect(plain.labels).toEqual({ app: 'agent', [labels.name]: 'agent', [labels.replicaSet]: 'agent-1' });
  expect(plain.annotations).toEqual({
    [annotations.templateHash]: 'hash-1',
    [annotations.autoscalerDaemonSetPod]: 'true',
    [annotations.overridesHash]: 'none',
  });
  const more = rendered({ isCanary: true, failures: 3 }, { [key]: '{"requests":{"cpu":"1"}}' });
  expect(more.labels?.[labels.canary]).toBe('true');
  expect(more.annotations?.[annotations.failedPods]).toBe('3');
  expect(more.annotations?.[annotations.nodeHash]).toMatch(/^[0-9a-f]{32}$/);
});

describe('a template whose fields have the wrong type', () => {
  it('keeps tolerations that are no list, and what is in a list, for the API server to refuse', () => {
    expect(placedOn({ tolerations: 'all' } as never, 'n1').tolerations).toBe('all');
    expect(placedOn({ tolerations: [null] } as never, 'n1').tolerations).toContain(null);
  });

  it('keeps containers that are no list, and what is in a list', () => {
    const overrides = new Map([['agent', { resources: {} }]]);
    expect(withOverrides('agent' as never, overrides)).toBe('agent');
    expect(withOverrides([null] as never, overrides)).toEqual([null]);
  });

  it.each<readonly [string, unknown]>([
    ['that are no list', 'zone'],
    ['of which there is none', []],
    ['that are missing', undefined],
    ['one of which is a text', ['zone']],
    [
      'that name two nodes',
      [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a', 'b'] }] }],
    ],
  ])('keeps node selector terms %s, and is on no node that nobody asked for', (_, nodeSelectorTerms) => {
    const requiredDuringSchedulingIgnoredDuringExecution = { nodeSelectorTerms };
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution } };
    expect(placedOn({ affinity } as never, 'n1').affinity).toEqual(affinity);
  });
});
