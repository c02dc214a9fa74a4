import { visibleInLine } from '@atoll/kube/command-line';
import { columnsOf } from './columns-of.ts';

/** A table as kubectl prints it: no borders, headings in capitals, columns parted by three blanks. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [
    headings.map((heading) => heading.toUpperCase()),
    ...rows.map((row) => row.map(visibleInLine)),
  ];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => columnsOf(line[column] ?? ''))));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - columnsOf(cell))))
        .join('   ')
        .trimEnd(),
    )
    .join('\n');
}
