import { describe, expect, it } from 'vitest';
import { readablePlacement } from './refused-placement.ts';

const requires = (required: unknown): object => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } },
});
const terms = (...nodeSelectorTerms: readonly unknown[]): object => requires({ nodeSelectorTerms });
const expression = (given: object): object => terms({ matchExpressions: [{ key: 'tier', ...given }] });
const field = (given: object): object =>
  terms({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a'], ...given }] });
const twoNodes = { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a', 'b'] }] };
const tolerates = (given: unknown): object => ({ tolerations: [given] });

// As kube-apiserver v1.36.3 judges pods.
describe('the placement of a pod', () => {
  it.each<readonly [string, object]>([
    ['nothing', {}],
    ['fields that are null', { nodeName: null, nodeSelector: null, affinity: null, tolerations: null }],
    ['an affinity to no node', { affinity: { nodeAffinity: null, podAffinity: {} } }],
    ['a required affinity that is null', requires(null)],
    ['an empty name and an empty selector', { nodeName: '', nodeSelector: {} }],
    [
      'labels, of which one is null',
      { nodeName: 'a', nodeSelector: { 'example.com/tier': '1', edge: null } },
    ],
    ['a term that matches nothing', terms({})],
    ['a term that is null', terms(null)],
    ['a term whose lists are null', terms({ matchExpressions: null, matchFields: null })],
    ['several terms', terms({ matchExpressions: [{ key: 'tier', operator: 'Exists' }] }, {})],
    ['values', expression({ operator: 'In', values: ['1', '', null] })],
    ['no values', expression({ operator: 'Exists', values: null })],
    ['a number that is quoted', expression({ operator: 'Gt', values: ['4'] })],
    [
      'a text in place of a number, which the scheduler leaves out',
      expression({ operator: 'Gt', values: ['four'] }),
    ],
    [
      'a value that no label has, as old API servers take it',
      expression({ operator: 'In', values: ['a b'] }),
    ],
    ['the name of a node', field({})],
    [
      'the names of two nodes in one of several terms, which a pod has no more',
      terms({ matchExpressions: [{ key: 'tier', operator: 'Exists' }] }, twoNodes),
    ],
    ['a field that is not known', { ...terms({ matchLabels: { a: 1 } }), runtimeClassName: 5 }],
    ['a toleration of all', tolerates({ operator: 'Exists' })],
    [
      'a toleration with nulls',
      tolerates({ key: 'a', operator: null, value: null, tolerationSeconds: null }),
    ],
    ['a toleration for a time', tolerates({ key: 'a', effect: 'NoExecute', tolerationSeconds: 5 })],
    ['a toleration by number', tolerates({ key: 'sla', operator: 'Gt', value: '900' })],
  ])('is taken with %s', (_, spec) => {
    expect(readablePlacement(spec)).toBe(spec);
  });

  it.each<readonly [string, object]>([
    ['a node name that is a number', { nodeName: 5 }],
    ['a node name that no node has', { nodeName: 'Node 5' }],
    ['a label that is a number', { nodeSelector: { tier: 1 } }],
    ['a label that is a boolean', { nodeSelector: { edge: true } }],
    ['a label that no node has', { nodeSelector: { edge: 'a b' } }],
    ['a key that no label has', { nodeSelector: { 'a b': '' } }],
    ['a selector that is a text', { nodeSelector: 'tier' }],
    ['a selector that is a list', { nodeSelector: ['tier'] }],
    ['an affinity that is a text', { affinity: 'tier' }],
    ['a node affinity that is a list', { affinity: { nodeAffinity: [] } }],
    ['a required affinity that is a list of terms', requires([{}])],
    ['no terms, as of a name that is misspelt', requires({ nodeSelectorTerm: [{}] })],
    ['an empty list of terms', terms()],
    ['terms that are null', requires({ nodeSelectorTerms: null })],
    ['terms that are no list', requires({ nodeSelectorTerms: { matchExpressions: [] } })],
    ['a term that is a text', terms('tier')],
    ['one of several terms', terms({}, { matchExpressions: 'tier' })],
    ['an expression that is null', terms({ matchExpressions: [null] })],
    ['a key that is a number', expression({ key: 5, operator: 'Exists' })],
    ['an operator that is misspelt', expression({ operator: 'in', values: ['1'] })],
    ['no operator', expression({ values: ['1'] })],
    ['a value that is a number', expression({ operator: 'In', values: [1] })],
    ['a number that is not quoted', expression({ operator: 'Gt', values: [4] })],
    ['values that are no list', expression({ operator: 'In', values: '1' })],
    ['In without a value', expression({ operator: 'In' })],
    ['Exists with a value', expression({ operator: 'Exists', values: ['1'] })],
    ['the names of two nodes', field({ values: ['a', 'b'] })],
    ['the names of two nodes, and terms that match nothing', terms({}, null, twoNodes)],
    ['another field', field({ key: 'metadata.uid' })],
    ['tolerations that are no list', { tolerations: 'all' }],
    ['a toleration that is a text', tolerates('all')],
    ['a toleration that is null', tolerates(null)],
    ['a toleration with a number', tolerates({ key: 'sla', operator: 'Gt', value: 900 })],
    ['a toleration whose operator is misspelt', tolerates({ key: 'a', operator: 'exists' })],
    ['a toleration for a text', tolerates({ key: 'a', effect: 'NoExecute', tolerationSeconds: '5' })],
  ])('is refused with %s', (_, spec) => {
    expect(readablePlacement(spec)).not.toBe(spec);
  });
});

it('without the fields that are refused keeps the others', () => {
  const nodeSelector = { tier: '1' };
  const { affinity } = expression({ operator: 'Exists' }) as { readonly affinity: object };
  const taken = { nodeSelector, affinity, tolerations: [{ operator: 'Exists', key: 'a' }], nodeName: 'a' };
  expect(readablePlacement(taken as never)).toBe(taken);
  const refused = { nodeSelector, affinity: 'tier', tolerations: 'all', nodeName: 5, hostNetwork: true };
  expect(readablePlacement(refused as never)).toEqual({
    nodeSelector,
    tolerations: [{ operator: 'Exists' }],
    hostNetwork: true,
  });
});
