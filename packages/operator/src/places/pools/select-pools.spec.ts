import type { NodePool } from '@atoll/api';
import type { Reader } from '@atoll/kube';
import { expect, it } from 'vitest';
import { selectPools } from './select-pools.ts';

function selected(status: NodePool['status'], selector: Parameters<typeof selectPools>[0] = {}) {
  const pool = { metadata: { name: 'hz' }, ...(status === undefined ? {} : { status }) };
  return selectPools(selector, { list: () => [pool] } as unknown as Reader<NodePool>);
}

it.each([
  ['all, ready or not', { readyNodeNum: 1, unreadyNodeNum: 1 }, 2],
  ['those that are ready, where only they are counted', { readyNodeNum: 2 }, 2],
  ['those that are not ready, where only they are counted', { unreadyNodeNum: 3 }, 3],
  ['nobody knows how many, where none are counted', undefined, undefined],
] as const)('the nodes of a pool are %s', (_title, status, nodes) => {
  expect(selected(status)).toMatchObject({ ok: true, pools: [{ name: 'hz', nodes }] });
});

it.each([undefined, null])('a selector that is %s is a problem, and selects nothing', (selector) => {
  expect(selectPools(selector, { list: () => [] } as unknown as Reader<NodePool>)).toEqual({
    ok: false,
    problem: 'spec.nodepoolSelector is missing',
  });
});
