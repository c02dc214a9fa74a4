import { describe, expect, it } from 'vitest';
import type { SubsetTemplate } from '../../united-deployment/template.ts';
import { placedField } from './placed-field.ts';

const own = { key: 'k', operator: 'Exists' };
const template = (spec: object): SubsetTemplate => ({
  kind: 'Deployment',
  labels: {},
  annotations: {},
  spec: { template: { spec } },
});
const affinity = (...nodeSelectorTerms: readonly object[]) => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
});
const terms =
  'spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms';

describe('a field of a child', () => {
  it.each<readonly [string, object, string, string | undefined]>([
    ['the subset', {}, 'spec.template.spec.tolerations[1].operator', 'tolerations[1].operator'],
    [
      'the subset',
      { tolerations: [own] },
      '.spec.template.spec.tolerations[1].operator',
      'tolerations[0].operator',
    ],
    ['the template', { tolerations: [own] }, 'spec.template.spec.tolerations[0].operator', undefined],
    [
      'the subset',
      {},
      `${terms}[0].matchExpressions[0].values[0]`,
      'nodeSelectorTerm.matchExpressions[0].values[0]',
    ],
    [
      'the subset',
      affinity({ matchFields: [own] }, { matchExpressions: [own] }),
      `${terms}[1].matchExpressions[2].key`,
      'nodeSelectorTerm.matchExpressions[1].key',
    ],
    [
      'the subset',
      affinity({ matchExpressions: [own] }),
      `${terms}[0].matchFields[0].key`,
      'nodeSelectorTerm.matchFields[0].key',
    ],
    ['the template', affinity({ matchFields: [own] }), `${terms}[0].matchFields[0].key`, undefined],
    ['the template', {}, `${terms}: Required value`, undefined],
    ['the template', {}, 'spec.template.spec.containers[0].image', undefined],
  ])('is of %s, of pods %j: %s', (_, spec, field, expected) => {
    expect(placedField(field, template(spec))).toBe(expected);
  });
});
