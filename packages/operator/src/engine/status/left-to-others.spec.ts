import { expect, it } from 'vitest';
import { hold } from '../hold.ts';
import { conditionsLeftToOthers } from './left-to-others.ts';

it('what was paused by us is not any more, and what the other controller wrote stays', () => {
  const found = ['SubsetProvisioned', 'Paused', 'Stalled'].map((type) => ({ type, status: 'True' }));
  const problem = 'the manager of Kruise serves it';
  const conditions = conditionsLeftToOthers(
    found,
    hold('ServedByKruise', 'person', [], { problem }, true),
    2,
    0,
  );
  expect(Object.fromEntries(conditions.map(({ type, reason }) => [type, reason]))).toEqual({
    SubsetProvisioned: undefined,
    Ready: 'ServedByKruise',
    Progressing: 'ServedByKruise',
    Degraded: 'ServedByKruise',
    Stalled: 'ServedByKruise',
  });
});
