import { describe, expect, test } from 'vitest';
import type { UnitedDeployment } from '@atoll/api';
import { kindFacts } from './subsets/child-kind.ts';
import { readTemplate, revisionData } from './template.ts';

const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [] } };

describe('a template', () => {
  test('is the one member that is set, without what is allocated', () => {
    const given = readTemplate(
      specOf({ cloneSetTemplate: { spec: { replicas: 3, selector: {}, minReadySeconds: 5, template } } }),
    );
    expect(given).toEqual({
      ok: true,
      template: { kind: 'CloneSet', labels: {}, annotations: {}, spec: { minReadySeconds: 5, template } },
    });
  });

  test.each([
    ['none', {}, 'has no template'],
    [
      'two',
      { deploymentTemplate: { spec: {} }, statefulSetTemplate: { spec: {} } },
      'exactly one is allowed',
    ],
    ['one without a spec', { deploymentTemplate: {} }, '.deploymentTemplate.spec is missing'],
  ])('%s is a problem that is named', (_title, given, problem) => {
    expect(readTemplate(specOf(given))).toEqual({ ok: false, problem: expect.stringContaining(problem) });
  });

  test.each(Object.entries(kindFacts))('of %s comes back from a revision', (_kind, { member }) => {
    const given = readTemplate(
      specOf({ [member]: { metadata: { labels: { app: 'web' } }, spec: { template } } }),
    );
    if (!given.ok) throw new Error(given.problem);
    const data = revisionData.write(given.template);
    expect(data).toMatchObject({ spec: { template: { $patch: 'replace' } } });
    expect(revisionData.read(JSON.parse(JSON.stringify(data)))).toEqual(given.template);
  });

  test('is nothing that another kind recorded', () => {
    expect(
      revisionData.read({ spec: { workloadTemplate: { deploymentTemplate: { spec: {} } } } }),
    ).toBeUndefined();
    expect(revisionData.read(undefined)).toBeUndefined();
  });
});

function specOf(template: object): UnitedDeployment['spec'] {
  return { template } as UnitedDeployment['spec'];
}
