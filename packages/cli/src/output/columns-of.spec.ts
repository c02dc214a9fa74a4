import { expect, it } from 'vitest';
import { columnsOf } from './columns-of.ts';
import { table } from './table.ts';

it.each([
  ['', 0],
  ['agent-1', 7],
  ['Größe', 5],
  ['Gro\u0308ße', 5],
  ['暂停', 4],
  ['一時停止、', 10],
  ['일시 중지', 9],
  ['ＡＢ', 4],
  ['ｱｲ', 2],
  ['𠀀', 2],
  ['🚧', 2],
  ['…', 1],
])('%s takes %i columns', (text, columns) => {
  expect(columnsOf(text)).toBe(columns);
});

it('a table has its columns one below the other where a person gave a reason in Chinese', () => {
  const rows = [
    ['暂停', 'agent-1'],
    ['Gro\u0308ße', 'agent-2'],
  ];
  const lines = table(['Reason', 'Active RS'], rows).split('\n');
  expect(lines.map((line) => columnsOf(/^.*?(?=agent|ACTIVE)/.exec(line)?.[0] ?? ''))).toEqual([9, 9, 9]);
});
