import { nodes } from '@atoll/kube';
import { afterEach, expect, it, vi } from 'vitest';
import { age } from '../output/age.ts';
import { printedOf, showing, type Shown } from './showing.ts';

const object = {
  metadata: { name: 'a', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
};
const shown: Shown<typeof object> = {
  headings: ['Name', 'Age'],
  wideHeadings: [],
  row: ({ metadata }, now) => [metadata.name, age(metadata.creationTimestamp, now)],
  wideRow: () => [],
};

afterEach(() => vi.useRealTimers());

it('an object that only got older has not changed in what is printed', () => {
  const printed = printedOf(shown, 'table');
  vi.useFakeTimers({ now: Date.parse('2026-01-01T00:00:01Z') });
  const first = printed(object);
  vi.setSystemTime('2026-01-02T00:00:00Z');
  expect(printed(object)).toBe(first);
});

it('the name of an object of the core group is without a group, as with kubectl', async () => {
  const show = showing(shown, { ...nodes, group: '' } as never, { output: 'name' });
  expect(await show([{ type: 'ADDED', object }])).toBe('node/a');
});
