import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitFrame, fitLine, visibleWidth } from './fit-text.ts';

const green = (text: string): string => `\u001b[32m${text}\u001b[39m`;

describe('a line that has to fit', () => {
  it.each([
    ['short', 10, 'short'],
    ['exactly', 7, 'exactly'],
    ['rather long', 7, 'rather…'],
    ['anything', 0, ''],
    [`${green('■■■')} ready`, 6, `${green('■■■')} r\u001b[0m…`],
    [green('■■■■'), 3, '\u001b[32m■■\u001b[0m…'],
  ])('%j in %i columns', (line, columns, expected) => {
    expect(fitLine(line, columns)).toBe(expected);
  });

  it('never takes more room than there is', () => {
    const parts = fc.array(
      fc.oneof(
        fc.stringMatching(/^[a-z■ ]{0,20}$/),
        fc.stringMatching(/^[a-z■ ]{0,20}$/).map((text) => green(text)),
      ),
    );
    fc.assert(
      fc.property(parts, fc.nat(60), (line, columns) => {
        expect(visibleWidth(fitLine(line.join(''), columns))).toBeLessThanOrEqual(columns);
      }),
    );
  });
});

describe('a frame that has to fit', () => {
  const body = ['one', 'two', 'three', 'four'];
  const feet = [
    ['', 'Look around', 'Ctrl-C ends'],
    ['', 'Ctrl-C ends'],
  ];

  it.each([
    [7, ['one', 'two', 'three', 'four', '', 'Look around', 'Ctrl-C ends']],
    [6, ['one', 'two', 'three', 'four', '', 'Ctrl-C ends']],
    [5, ['one', 'two', '… 2 more lines in a taller window', '', 'Ctrl-C ends']],
    [4, ['one', '… 3 more lines in a taller window', '', 'Ctrl-C ends']],
    [3, ['one', '', 'Ctrl-C ends']],
    [2, ['', 'Ctrl-C ends']],
    [1, ['Ctrl-C ends']],
  ])('in %i rows', (rows, expected) => {
    expect(fitFrame(() => body, feet, rows, 80)).toEqual(expected);
  });

  it('keeps the first foot where the body can be shorter', () => {
    const short = (rows: number): readonly string[] => (rows >= 4 ? body : ['one … four']);
    expect(fitFrame(short, feet, 4, 80)).toEqual(['one … four', '', 'Look around', 'Ctrl-C ends']);
  });
});
