import type { UnitedDeployment } from '@atoll/api';
import { describe, expect, it } from 'vitest';
import { withoutNulls } from './without-nulls.ts';

function withSpec(spec: object): UnitedDeployment {
  return { metadata: { name: 'web' }, spec } as unknown as UnitedDeployment;
}

describe('a null in the spec', () => {
  it.each<readonly [string, object, object]>([
    ['of a field', { replicas: null, template: {} }, { template: {} }],
    [
      'of a subset',
      { topology: { subsets: [{ name: 'a', patch: null }] } },
      { topology: { subsets: [{ name: 'a' }] } },
    ],
    [
      'of a term',
      {
        topology: {
          subsets: [{ name: 'a', nodeSelectorTerm: { matchExpressions: [{ key: 'k', values: null }] } }],
        },
      },
      { topology: { subsets: [{ name: 'a', nodeSelectorTerm: { matchExpressions: [{ key: 'k' }] } }] } },
    ],
    [
      'of a template',
      { template: { cloneSetTemplate: null, deploymentTemplate: { metadata: null } } },
      { template: { deploymentTemplate: {} } },
    ],
  ])('%s is no field', (_, given, wanted) => {
    expect(withoutNulls(withSpec(given)).spec).toEqual(wanted);
  });

  it('stands in a list among others that stay', () => {
    const given = { topology: { subsets: [{ name: 'a' }, { name: 'b', replicas: null }] } };
    expect(withoutNulls(withSpec(given)).spec).toEqual({
      topology: { subsets: [{ name: 'a' }, { name: 'b' }] },
    });
  });

  it('is not looked for without an end', () => {
    let nested: unknown = null;
    for (let depth = 0; depth < 100_000; depth += 1) nested = [nested];
    const object = withSpec({ unknown: nested });
    expect(withoutNulls(object)).toBe(object);
  });

  it('inside a patch takes a field of the pods away, and stays', () => {
    const object = withSpec({
      topology: { subsets: [{ name: 'a', patch: { metadata: { labels: { x: null } } } }] },
    });
    expect(withoutNulls(object)).toBe(object);
  });

  it('leaves an object without any as it is', () => {
    const object = withSpec({ template: { deploymentTemplate: { spec: { template: {} } } }, selector: {} });
    expect(withoutNulls(object)).toBe(object);
  });
});
