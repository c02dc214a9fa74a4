import { visibleInLine } from '@atoll/kube/command-line';

/** A table as kubectl prints it: no borders, headings in capitals, columns parted by three blanks. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [
    headings.map((heading) => heading.toUpperCase()),
    ...rows.map((row) => row.map(visibleInLine)),
  ];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('   ')
        .trimEnd(),
    )
    .join('\n');
}
