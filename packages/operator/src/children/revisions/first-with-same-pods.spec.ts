import { expect, it } from 'vitest';
import { firstWithSamePods } from './first-with-same-pods.ts';
import type { Revision } from './revision.ts';

/** `a1`: pods with the image `a`, revision 1. */
function revision(of: string, { kind = 'Deployment', limit = 10 } = {}): Revision {
  const [image = '', number = ''] = of;
  const template = { spec: { containers: [{ name: 'web', image }] } };
  const spec = { revisionHistoryLimit: limit, template };
  return {
    name: of,
    label: of,
    number: Number(number),
    template: { kind, labels: {}, annotations: {}, spec },
    stored: undefined,
  };
}

it.each<readonly [string, readonly Revision[], Revision, string]>([
  ['the only one', [revision('a1')], revision('a1'), 'a1'],
  ['one that is not stored yet', [revision('a1')], revision('b2'), 'b2'],
  ['the first of a row', [revision('a1'), revision('a2', { limit: 3 })], revision('a2', { limit: 3 }), 'a1'],
  ['of a row whose last is not stored yet', [revision('b1'), revision('a2')], revision('a3'), 'a2'],
  [
    'the row ends where other pods come',
    [revision('a1'), revision('b2'), revision('a3')],
    revision('a3'),
    'a3',
  ],
  ['an older one knows nothing of what follows', [revision('a1'), revision('a2')], revision('a1'), 'a1'],
  ['another kind has no pods in common', [revision('a1', { kind: 'StatefulSet' })], revision('a2'), 'a2'],
])('%s', (_, history, of, first) => {
  expect(firstWithSamePods(history)(of)).toBe(first);
});
