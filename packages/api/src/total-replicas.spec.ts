import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { annotations, totalReplicas, totalToFillIn, type UnitedDeployment } from './index.ts';

type Share = number | string | undefined;

function united(replicas: number | undefined, shares: readonly Share[], filled?: number): UnitedDeployment {
  return {
    metadata: {
      name: 'web',
      ...(filled !== undefined && { annotations: { [annotations.totalOfSubsets]: String(filled) } }),
    },
    spec: {
      ...(replicas !== undefined && { replicas }),
      selector: { matchLabels: { app: 'web' } },
      template: {},
      topology: {
        subsets: shares.map((share, index) => ({
          name: `s${index}`,
          ...(share !== undefined && { replicas: share }),
        })),
      },
    },
  };
}

function fill(object: UnitedDeployment): UnitedDeployment {
  const filled = totalToFillIn(object);
  if (filled === undefined) return object;
  const { [annotations.totalOfSubsets]: _, ...others } = object.metadata.annotations ?? {};
  const mark = filled.annotation === undefined ? {} : { [annotations.totalOfSubsets]: filled.annotation };
  return {
    metadata: { ...object.metadata, annotations: { ...others, ...mark } },
    spec: { ...object.spec, replicas: filled.replicas },
  };
}

describe('the total', () => {
  it.each<
    readonly [string, number | undefined, readonly Share[], number | undefined, number | 'of the subsets']
  >([
    ['is what is given', 6, [1, '50%', undefined], undefined, 6],
    ['is what is given, whatever the subsets add up to', 6, [1, 2], undefined, 6],
    ['may be 0', 0, [undefined], undefined, 0],
    ['is 1 where it is left out', undefined, [undefined, undefined], undefined, 1],
    ['is 1 where a subset wants a share of it', undefined, [1, '50%'], undefined, 1],
    ['is 1 where there are no subsets', undefined, [], undefined, 1],
    ['is the sum of all subsets where it is left out', undefined, [1, 2, 3, 4], undefined, 'of the subsets'],
    ['is the sum of all subsets as long as it is what was filled in', 10, [1, 2, 3, 5], 10, 'of the subsets'],
    ['is what somebody scaled it to', 12, [1, 2, 3, 4], 10, 12],
    ['stays where a subset no longer has a number', 10, [1, 2, 3, undefined], 10, 10],
  ])('%s', (_what, replicas, shares, filled, total) => {
    expect(totalReplicas(united(replicas, shares, filled)) ?? 'of the subsets').toBe(total);
  });
});

describe('what is filled in', () => {
  const nothing = undefined;
  it.each<readonly [string, UnitedDeployment, { replicas: number; annotation?: string } | undefined]>([
    ['nothing where a total is given', united(6, [undefined]), nothing],
    ['nothing where it is given and the subsets have numbers', united(3, [1, 2]), nothing],
    ['1 where it is left out', united(undefined, [undefined]), { replicas: 1 }],
    ['the sum where the subsets give it', united(undefined, [1, 2]), { replicas: 3, annotation: '3' }],
    ['nothing once that is filled in', united(3, [1, 2], 3), nothing],
    ['the new sum where a subset changed', united(3, [1, 4], 3), { replicas: 5, annotation: '5' }],
    [
      'the sum again where the total was taken away',
      united(undefined, [1, 4], 3),
      { replicas: 5, annotation: '5' },
    ],
    ['no more than that somebody scaled', united(7, [1, 2], 3), { replicas: 7 }],
    ['no more than that a subset has no number', united(3, [1, undefined], 3), { replicas: 3 }],
  ])('is %s', (_what, object, expected) => {
    const filled = totalToFillIn(object);
    expect(filled && JSON.parse(JSON.stringify(filled))).toEqual(expected);
  });

  const objects = fc
    .record({
      replicas: fc.option(fc.nat(20), { nil: undefined }),
      shares: fc.array(fc.oneof(fc.nat(5), fc.constant('50%'), fc.constant(undefined)), { maxLength: 4 }),
      filled: fc.option(fc.nat(20), { nil: undefined }),
    })
    .map(({ replicas, shares, filled }) => united(replicas, shares, filled));

  it('changes no total', () => {
    fc.assert(
      fc.property(objects, (object) => {
        expect(totalReplicas(fill(object))).toBe(totalReplicas(object));
      }),
    );
  });

  it('is nothing the second time', () => {
    fc.assert(
      fc.property(objects, (object) => {
        expect(totalToFillIn(fill(object))).toBeUndefined();
      }),
    );
  });
});
