/** Of two columns: East Asian Wide and Fullwidth (UAX #11), and what is shown as a picture. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{17000}-\u{18cff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;

/** Of none: accents that stand on the sign before, and what only joins others. */
const joined = /[\p{Mn}\p{Me}\p{Cf}]/u;

/** How many columns of a terminal the text takes. Pictures that are made of several count each. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const sign of text) columns += wide.test(sign) ? 2 : joined.test(sign) ? 0 : 1;
  return columns;
}
