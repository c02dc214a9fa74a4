import { describe, expect, it } from 'vitest';
import type { UnitedDeployment } from '@atoll/api';
import { defaultingWarnings, defaultUnitedDeployment } from './default-united-deployment.ts';

const mark = 'atoll.dev/total-of-subsets';

function united(spec: object, annotations: Readonly<Record<string, string>> = {}): UnitedDeployment {
  const selector = { matchLabels: { app: 'web' } };
  return {
    metadata: { name: 'web', annotations: { mine: 'x', ...annotations } },
    spec: { selector, template: {}, ...spec },
  };
}

function subsets(...list: readonly object[]): object {
  return { topology: { subsets: list.map((subset, index) => ({ name: `s${index}`, ...subset })) } };
}

describe('the defaults of a UnitedDeployment', () => {
  it.each<readonly [string, UnitedDeployment, UnitedDeployment]>([
    ['the total', united(subsets({}, {})), united({ ...subsets({}, {}), replicas: 1 })],
    [
      'the total that the subsets say',
      united(subsets({ replicas: 2 }, { replicas: 3 })),
      united({ ...subsets({ replicas: 2 }, { replicas: 3 }), replicas: 5 }, { [mark]: '5' }),
    ],
    [
      'the total that the subsets say now',
      united({ ...subsets({ replicas: 2 }, { replicas: 4 }), replicas: 5 }, { [mark]: '5' }),
      united({ ...subsets({ replicas: 2 }, { replicas: 4 }), replicas: 6 }, { [mark]: '6' }),
    ],
    [
      'nothing but the end of the annotation once the total is given',
      united({ ...subsets({ replicas: 2 }), replicas: 9 }, { [mark]: '5' }),
      united({ ...subsets({ replicas: 2 }), replicas: 9 }),
    ],
    [
      'minReplicas where there are bounds',
      united({ ...subsets({ maxReplicas: 3 }, { minReplicas: '10%' }, {}), replicas: 4 }),
      united({
        ...subsets({ maxReplicas: 3, minReplicas: 0 }, { minReplicas: '10%' }, { minReplicas: 0 }),
        replicas: 4,
      }),
    ],
    [
      'the strategy that there is',
      united({ updateStrategy: { type: '', manualUpdate: {} }, replicas: 4 }),
      united({ updateStrategy: { type: 'Manual', manualUpdate: {} }, replicas: 4 }),
    ],
  ])('fill in %s, and nothing the second time', (_what, given, filled) => {
    const result = defaultUnitedDeployment(given);
    expect(result).toEqual(filled);
    expect(defaultUnitedDeployment(result)).toBe(result);
  });

  it.each<readonly [string, object]>([
    ['no bounds', { ...subsets({ replicas: 1 }, {}), replicas: 4 }],
    ['all that is asked for', { ...subsets({ minReplicas: 1 }), replicas: 4 }],
    [
      'bounds beside numbers, which the schema refuses',
      { ...subsets({ maxReplicas: 1 }, { replicas: 1 }), replicas: 4 },
    ],
    ['a topology that is none', { topology: 'x' }],
    ['subsets that are no list', { topology: { subsets: {} } }],
    ['a subset that is none', { topology: { subsets: [null] } }],
    ['a strategy that is none', { updateStrategy: 3 }],
  ])('leave %s', (_what, spec) => {
    const given = united(spec);
    expect(defaultUnitedDeployment(given)).toBe(given);
  });

  it('leave an object without a spec', () => {
    const given = { metadata: { name: 'x' } } as UnitedDeployment;
    expect(defaultUnitedDeployment(given)).toBe(given);
  });
});

describe('somebody who leaves out the total', () => {
  const before = united({ ...subsets({}), replicas: 50 });
  it.each<readonly [string, UnitedDeployment, UnitedDeployment | undefined, readonly string[]]>([
    [
      'gets a warning with what it was',
      united(subsets({})),
      before,
      ['spec.replicas is left out and becomes 1; it was 50'],
    ],
    ['of a new object is told nothing', united(subsets({})), undefined, []],
    ['is told nothing where it stays', united(subsets({ replicas: 50 })), before, []],
    ['and had left it out is told nothing', united(subsets({})), united(subsets({})), []],
  ])('%s', (_what, object, old, warnings) => {
    expect(defaultingWarnings(object, old)).toEqual(warnings);
  });

  it('is not reported while it is there', () => {
    expect(defaultingWarnings(united({ ...subsets({}), replicas: 2 }), before)).toEqual([]);
  });
});
