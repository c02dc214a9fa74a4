import type { WorldOptions } from '../simulation/worlds/world-options.ts';

type Row = Pick<WorldOptions, 'budgets' | 'lag' | 'patient' | 'spurious'>;

/**
 * Worlds in which an owner is deleted and its children are to stay, to be explored from rest. Where time passes, no cache is behind for
 * longer than nothing else can happen.
 */
export const childrenLetGo: Readonly<Record<string, Row>> = {
  'the owner is deleted, and its children are to stay': { budgets: { orphan: 1 } },
  'while the template changes': { budgets: { orphan: 1, edit: 1 } },
  'and is made again': { budgets: { orphan: 1, again: 1 }, patient: true },
  'and is made again, while a request fails in any way or the operator dies': {
    budgets: { orphan: 1, again: 1, fault: 1 },
    lag: 0,
    spurious: false,
  },
};
