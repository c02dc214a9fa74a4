import { expect, it } from 'vitest';
import { nothingNotSet } from './decide.ts';
import type { NodePoolSnapshot } from './observe.ts';
import { report } from './report.ts';

it('a generation does not count as seen before caches are filled', () => {
  const metadata = { name: 'hz', uid: 'u', resourceVersion: '2', generation: 2 };
  const pool = { metadata, spec: {}, status: { observedGeneration: 1, nodes: ['n1'] } };
  const snapshotOf = (certain: boolean) =>
    ({ name: 'hz', pool, nodes: [], asking: [], unnotedLeavers: [], certain }) as unknown as NodePoolSnapshot;
  const seen = (certain: boolean) =>
    report(
      snapshotOf(certain),
      { outdated: [], tooLong: [], lost: [], withoutTaints: [], otherLabels: [], notSet: nothingNotSet },
      { results: [] },
      0,
    )[0]?.status;
  expect(seen(false)).toMatchObject({ observedGeneration: 1, nodes: ['n1'] });
  expect(seen(true)).toMatchObject({ observedGeneration: 2, nodes: [] });
});
