// oxlint-disable-next-line no-control-regex -- colours are control sequences, and take no room
const colour = /(\u001b\[[\d;]*m)/;

/** How many columns a line takes; colours take none. */
export function visibleWidth(line: string): number {
  return line.split(colour).reduce((sum, part) => sum + (isColour(part) ? 0 : Array.from(part).length), 0);
}

/** The line, cut with an ellipsis where it is wider than `columns`; colours that were begun are ended. */
export function fitLine(line: string, columns: number): string {
  if (visibleWidth(line) <= columns) return line;
  const room = Math.max(columns - 1, 0);
  let used = 0;
  let cut = '';
  for (const part of line.split(colour)) {
    if (isColour(part)) {
      cut += part;
      continue;
    }
    const shown = Array.from(part).slice(0, room - used);
    used += shown.length;
    cut += shown.join('');
    if (used >= room) break;
  }
  return columns < 1 ? '' : `${cut}${line.includes('\u001b') ? '\u001b[0m' : ''}…`;
}

/** Lines that adapt to so many rows: as many as fit, or the fewest that they can be. */
export type Body = (rows: number) => readonly string[];

/**
 * At most `rows` lines of at most `columns`. Of the feet, the first that leaves room for the body; where none does, the
 * last one stays whole as long as it can, and a line says how much of the body is hidden.
 */
export function fitFrame(
  body: Body,
  feet: readonly (readonly string[])[],
  rows: number,
  columns: number,
): readonly string[] {
  const fit = (lines: readonly string[]): readonly string[] => lines.map((line) => fitLine(line, columns));
  for (const foot of feet) {
    const lines = body(rows - foot.length);
    if (lines.length + foot.length <= rows) return fit([...lines, ...foot]);
  }
  const foot = feet.at(-1) ?? [];
  const room = Math.max(rows - foot.length, 0);
  const lines = body(room);
  if (room < 2) return fit([...lines.slice(0, room), ...foot.slice(Math.max(foot.length - rows, 0))]);
  const shown = lines.slice(0, room - 1);
  return fit([...shown, `… ${lines.length - shown.length} more lines in a taller window`, ...foot]);
}

function isColour(part: string): boolean {
  return part.startsWith('\u001b');
}
