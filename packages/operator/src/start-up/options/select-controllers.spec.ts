import { describe, expect, it } from 'vitest';
import { selectControllers } from './select-controllers.ts';

const available = [
  { name: 'node-pool', aliases: ['nodepool'], onByDefault: true },
  { name: 'yurt-app-daemon', aliases: ['yurtappdaemon'], onByDefault: true },
  { name: 'extra', aliases: [], onByDefault: false },
];

describe('--controllers', () => {
  it.each([
    ['*', ['node-pool', 'yurt-app-daemon']],
    ['*,-node-pool', ['yurt-app-daemon']],
    ['-node-pool,*', ['yurt-app-daemon']],
    ['-node-pool', ['yurt-app-daemon']],
    ['*,extra', ['node-pool', 'yurt-app-daemon', 'extra']],
    ['nodepool', ['node-pool']],
    [' node-pool , extra ', ['node-pool', 'extra']],
    ['node-pool,-node-pool', ['node-pool']],
  ])('%s selects %j', (value, names) => {
    const selection = selectControllers(value, available);
    expect(selection.ok && selection.selected.map((each) => each.name)).toEqual(names);
  });

  it.each([
    ['', 'it names no controller'],
    ['*,-nodepol', '"nodepol" is not a controller'],
    ['-node-pool,-yurt-app-daemon', 'it switches every controller off'],
  ])('%j is refused with the value, the reason and what is allowed', (value, why) => {
    const selection = selectControllers(value, available);
    expect(selection).toEqual({
      ok: false,
      error: `--controllers "${value}": ${why}; allowed are *, the names node-pool, yurt-app-daemon, extra, and each name with a leading "-"`,
    });
  });
});
