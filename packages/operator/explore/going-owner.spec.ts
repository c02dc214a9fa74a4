import { describe, expect, it } from 'vitest';
import { explore } from '../simulation/explorer/explorer.ts';
import type { EngineBug } from '../simulation/planted-rules.ts';
import { atRest } from '../simulation/story.ts';
import { spreadWorld } from '../simulation/worlds/spread-world.ts';
import type { SpreadWorldOptions } from '../simulation/worlds/spread-world.ts';
import { safe, verdictOn } from './verdict-on.ts';

type Row = Omit<SpreadWorldOptions, 'name'>;

describe('an owner without a generation, as pods of Kubernetes before 1.33, goes in mid plan', () => {
  const going = {
    withoutGeneration: true,
    pools: ['a'],
    budgets: { 'remove in the foreground': 1 },
  } as const;
  const rows: readonly (readonly [does: string, bug: EngineBug, row: Row])[] = [
    ['made', 'deletion-not-compared', going],
    ['applied', 'applies-go-on', { ...going, budgets: { ...going.budgets, edit: 1 } }],
    ['deleted', 'deletions-go-on', { ...going, budgets: { ...going.budgets, switch: 1 } }],
  ];
  /** From rest, so that the steps under way are of one sort. */
  const worldOf = (does: string, row: Row, engineBug?: EngineBug) => {
    const world = spreadWorld({ name: does, ...row, ...(engineBug === undefined ? {} : { engineBug }) });
    return does === 'made' ? world : atRest(world);
  };

  it.each(rows)('nothing is %s for it', (does, _bug, row) => {
    expect(verdictOn(worldOf(does, row))).toEqual(safe);
  });

  it.each(rows)('something is %s for it with the bug %s', (does, bug, row) => {
    const { violation } = explore(worldOf(does, row, bug));
    expect(violation?.message).toBe(`E: something is ${does} for edge/web, which is known to be going`);
  });
});
