/** A command line of bash up to the cursor. */
export interface BashLine {
  /** Without quotes and backslashes; the last one is being written, and may be empty. */
  readonly words: readonly string[];
  /** What of the last word bash leaves as it is: it puts a completion behind the last of its break characters. */
  readonly kept: string;
}

/**
 * Reads a command line as bash does, but expands nothing: what stands in it is never run. `breaks` is `$COMP_WORDBREAKS`, at whose
 * characters bash itself parts words, `--output=json` into three: for that its `COMP_WORDS` is of no use.
 */
export function readBashLine(line: string, breaks: string): BashLine {
  const words: string[] = [];
  let word: string | undefined;
  let kept = 0;
  let quote = '';
  for (let at = 0; at < line.length; at += 1) {
    const sign = line.charAt(at);
    if (quote === '' && /\s/.test(sign)) {
      if (word !== undefined) words.push(word);
      [word, kept] = [undefined, 0];
      continue;
    }
    word ??= '';
    if (quote === '' && (sign === "'" || sign === '"')) [quote, kept] = [sign, word.length];
    else if (sign === quote) quote = '';
    else if (isEscape(line.slice(at, at + 2), quote)) {
      at += 1;
      word += line.charAt(at);
    } else {
      word += sign;
      if (quote === '' && breaks.includes(sign)) kept = word.length;
    }
  }
  const last = word ?? '';
  return { words: [...words, last], kept: last.slice(0, kept) };
}

/** A backslash that stands for the sign behind it. Between double quotes few do. */
function isEscape([backslash, next]: string, quote: string): boolean {
  if (backslash !== '\\' || quote === "'") return false;
  return quote === '' || (next !== undefined && '"\\$`'.includes(next));
}
