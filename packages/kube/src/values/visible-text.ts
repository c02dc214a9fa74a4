/** What a terminal would obey, and ends of lines, those of Unicode too. */
const controls = /[\p{Cc}\u2028\u2029]/gu;

/**
 * The text with every control character spelt out, like `\u001b`: objects and servers have names, reasons and messages that others wrote,
 * and a terminal obeys what is in them. Tabs and ends of lines stay. JSON and YAML mean the same with it.
 */
export function visible(text: string): string {
  return text.replace(controls, (sign) => (sign === '\n' || sign === '\t' ? sign : spelt(sign)));
}

/** The same as {@link visible} for text that has to stay on its line. */
export function visibleInLine(text: string): string {
  return text.replace(controls, spelt);
}

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\r': '\\r' };

function spelt(sign: string): string {
  return short[sign] ?? `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
