import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tolerates } from '@atoll/kube';
import type { Taint, Toleration } from '@atoll/kube';
import { withPoolTolerations } from './pool-tolerations.ts';

const taint: Taint = { key: 'edge', value: 'x', effect: 'NoSchedule' };
const exact = { key: 'edge', operator: 'Equal', value: 'x', effect: 'NoSchedule' };

const rows: readonly (readonly [string, readonly Toleration[], readonly Taint[], readonly Toleration[]])[] = [
  ['none for no taint', [], [], []],
  ['key, value and effect exactly', [], [taint], [exact]],
  [
    'no value for a taint without one',
    [],
    [{ key: 'a', effect: 'NoExecute' }],
    [{ key: 'a', operator: 'Equal', effect: 'NoExecute' }],
  ],
  ['one for a taint that stands twice', [], [taint, taint], [exact]],
  [
    'one for each effect',
    [],
    [taint, { ...taint, effect: 'NoExecute' }],
    [exact, { ...exact, effect: 'NoExecute' }],
  ],
  [
    'none where the template tolerates everything',
    [{ operator: 'Exists' }],
    [taint],
    [{ operator: 'Exists' }],
  ],
  [
    'none where the template tolerates the key',
    [{ key: 'edge', operator: 'Exists' }],
    [taint],
    [{ key: 'edge', operator: 'Exists' }],
  ],
  [
    'one where the template tolerates another value',
    [{ ...exact, value: 'y' }],
    [taint],
    [{ ...exact, value: 'y' }, exact],
  ],
  [
    'one where the template tolerates the number, so that children are as they were',
    [{ key: 'sla', operator: 'Gt', value: '900' }],
    [{ key: 'sla', value: '950', effect: 'NoExecute' }],
    [
      { key: 'sla', operator: 'Gt', value: '900' },
      { key: 'sla', operator: 'Equal', value: '950', effect: 'NoExecute' },
    ],
  ],
];

test.each(rows)('adds %s', (_title, own, taints, all) => {
  expect(withPoolTolerations(own, taints)).toEqual(all);
});

const keys = fc.constantFrom('a', 'b');
const values = fc.constantFrom('', '1', '2');
const effects = fc.constantFrom('NoSchedule', 'NoExecute', 'PreferNoSchedule');
const taintOf = fc.record({ key: keys, value: values, effect: effects });
const tolerationOf = fc.record(
  { key: keys, operator: fc.constantFrom('Equal', 'Exists'), value: values, effect: effects },
  { requiredKeys: ['operator'] },
);

test('lets pods in by exactly the taints of the pool, and never twice', () => {
  fc.assert(
    fc.property(fc.array(tolerationOf), fc.array(taintOf), taintOf, (own, taints, other) => {
      const all = withPoolTolerations(own, taints);
      expect(all.slice(0, own.length)).toEqual(own);
      for (const each of taints) expect(all.some((toleration) => tolerates(toleration, each))).toBe(true);
      const isPools = taints.some(
        ({ key, value, effect }) => key === other.key && value === other.value && effect === other.effect,
      );
      const added = all.slice(own.length);
      const letsIn = added.some((toleration) => tolerates(toleration, other));
      expect(letsIn && !isPools).toBe(false);
      for (const toleration of added) {
        const rest = all.filter((each) => each !== toleration);
        const needed = taints.some((each) => !rest.some((one) => tolerates(one, each)));
        expect(needed).toBe(true);
      }
      expect(withPoolTolerations(all, taints)).toEqual(all);
    }),
  );
});

test.each([['all'], [3], [{}]])('%j, which is no list, is left for the API server to refuse', (own) => {
  expect(withPoolTolerations(own as never, [{ key: 'edge', effect: 'NoSchedule' }])).toBe(own);
});
