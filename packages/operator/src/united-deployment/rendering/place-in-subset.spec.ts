import type { PodTemplateSpec } from '@atoll/kube';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { placeInSubset, type SubsetPlace } from './place-in-subset.ts';

const containers = [{ name: 'c' }];
const exists = { key: 'test', operator: 'Exists' };
const region = { key: 'region', operator: 'In', values: ['x'] };
const absent = { key: 'test', operator: 'DoesNotExist' };
const nodeName = { key: 'node-name', operator: 'In', values: ['b'] };
const field = { key: 'metadata.name', operator: 'In', values: ['n1'] };

function required(...nodeSelectorTerms: object[]): PodTemplateSpec {
  const node = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
  return { spec: { containers, affinity: { nodeAffinity: node } } };
}

function requiredAs(requiredDuringSchedulingIgnoredDuringExecution: unknown): object {
  return { spec: { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution } } } };
}

describe('the node affinity', () => {
  const rows: readonly (readonly [string, PodTemplateSpec, SubsetPlace, PodTemplateSpec])[] = [
    [
      "N5: the subset's expression is the last of every term",
      required({ matchExpressions: [exists, region] }, { matchExpressions: [absent] }),
      { nodeSelectorTerm: { matchExpressions: [nodeName] } },
      required({ matchExpressions: [exists, region, nodeName] }, { matchExpressions: [absent, nodeName] }),
    ],
    [
      'fields join every term too',
      required({ matchExpressions: [exists] }, { matchFields: [field] }),
      { nodeSelectorTerm: { matchExpressions: [nodeName], matchFields: [field] } },
      required(
        { matchExpressions: [exists, nodeName], matchFields: [field] },
        { matchFields: [field, field], matchExpressions: [nodeName] },
      ),
    ],
    [
      'a template without affinity gets one term',
      { spec: { containers } },
      { nodeSelectorTerm: { matchExpressions: [nodeName] } },
      required({ matchExpressions: [nodeName] }),
    ],
    [
      'a template without terms gets one',
      required(),
      { nodeSelectorTerm: { matchFields: [field] } },
      required({ matchFields: [field] }),
    ],
    [
      'an empty term restricts nothing',
      { spec: { containers } },
      { nodeSelectorTerm: {} },
      { spec: { containers } },
    ],
    [
      'empty lists restrict nothing',
      required({ matchExpressions: [exists] }),
      { nodeSelectorTerm: { matchExpressions: [], matchFields: [] } },
      required({ matchExpressions: [exists] }),
    ],
    [
      'no place restricts nothing',
      required({ matchFields: [field] }),
      {},
      required({ matchFields: [field] }),
    ],
  ];

  test.each(rows)('%s', (_title, template, place, placed) => {
    expect(placeInSubset(template, place)).toEqual(placed);
  });

  it('keeps preferences, pod affinity, metadata and unknown fields', () => {
    const template = {
      metadata: { labels: { app: 'a' } },
      spec: {
        containers,
        unknownField: 1,
        affinity: {
          podAffinity: {},
          nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: {} }] },
        },
      },
    };
    const placed = placeInSubset(template, { nodeSelectorTerm: { matchExpressions: [nodeName] } });
    expect(placed).toEqual({
      ...template,
      spec: {
        ...template.spec,
        affinity: {
          podAffinity: {},
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: {} }],
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [nodeName] }],
            },
          },
        },
      },
    });
  });
});

describe('the tolerations', () => {
  const [t0, t1, t2] = ['t0', 't1', 't2'].map((key) => ({ key, operator: 'Exists' })) as [
    object,
    object,
    object,
  ];

  it("N6: the template's come first, the subset's after them", () => {
    const placed = placeInSubset({ spec: { containers, tolerations: [t0] } }, { tolerations: [t1, t2] });
    expect(placed.spec?.tolerations).toEqual([t0, t1, t2]);
  });

  it('stand twice where both have them', () => {
    const placed = placeInSubset({ spec: { containers, tolerations: [t0] } }, { tolerations: [t0] });
    expect(placed.spec?.tolerations).toEqual([t0, t0]);
  });

  it('are no field where neither has any', () => {
    expect(placeInSubset({ spec: { containers } }, { tolerations: [] }).spec).not.toHaveProperty(
      'tolerations',
    );
  });
});

test.each([
  ['a template that is a text', 'text'],
  ['a spec that is a list', { spec: [] }],
  ['an affinity that is a text', { spec: { affinity: 'text' } }],
  ['a node affinity that is a number', { spec: { affinity: { nodeAffinity: 5 } } }],
  ['required terms that are a list', requiredAs([{ matchExpressions: [exists] }])],
  ['terms that are no list', requiredAs({ nodeSelectorTerms: { matchExpressions: [exists] } })],
  ['a term that is a text', requiredAs({ nodeSelectorTerms: ['text'] })],
])('%s stays as it is, for the API server to refuse', (_, template: unknown) => {
  const place = { nodeSelectorTerm: { matchExpressions: [nodeName] } };
  expect(placeInSubset(template as PodTemplateSpec, place)).toEqual(template);
});

test('whatever stands where a pod template should be, nothing is thrown and nothing of the input changes', () => {
  const place = { nodeSelectorTerm: { matchExpressions: [nodeName] }, tolerations: [{ key: 'a' }] };
  const nested = fc.record(
    {
      spec: fc.oneof(
        fc.jsonValue(),
        fc.record({
          tolerations: fc.jsonValue(),
          affinity: fc.oneof(
            fc.jsonValue(),
            fc.record({
              nodeAffinity: fc.record({
                requiredDuringSchedulingIgnoredDuringExecution: fc.oneof(
                  fc.jsonValue(),
                  fc.record({ nodeSelectorTerms: fc.array(fc.jsonValue()) }),
                ),
              }),
            }),
          ),
        }),
      ),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), nested), (template) => {
      const before = JSON.stringify(template);
      placeInSubset(template as PodTemplateSpec, place);
      expect(JSON.stringify(template)).toBe(before);
    }),
  );
});
