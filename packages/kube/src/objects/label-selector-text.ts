import { InvalidSelectorError, type Requirement, type Selector } from './label-selector.ts';
import { labelValueProblems, qualifiedNameProblems } from './resource-names.ts';

const token = /\s*(?:(==|!=|[=!<>(),])|([^\s=!<>(),]+)|$)/y;

/**
 * Reads the text form of a selector, as in `kubectl -l` and list requests: `a=b,c!=d,e in (x,y),f notin (z),g,!h,i>1`.
 * The empty text is a selector of everything. Throws an InvalidSelectorError. Source: `labels.Parse`.
 */
export function parseSelectorText(text: string): Selector {
  const reader = new TokenReader(text);
  const requirements: Requirement[] = [];
  if (reader.peek() === '') return requirements;
  for (;;) {
    requirements.push(readRequirement(reader));
    const next = reader.take();
    if (next === '') return requirements;
    if (next !== ',') throw reader.unexpected(next, "',' or the end");
  }
}

/**
 * The text form, sorted, so that equal selectors read equal.
 * Throws a RangeError for a selector that no text can express ({@link nothing}).
 */
export function formatSelector(selector: Selector): string {
  const clauses = selector.map(formatRequirement);
  return clauses.toSorted().join(',');
}

function formatRequirement({ key, operator, values }: Requirement): string {
  const list = values.toSorted();
  const [first] = list;
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (first === undefined) throw new RangeError('a selector that matches nothing has no text form');
      if (list.length === 1) return `${key}${operator === 'In' ? '=' : '!='}${first}`;
      return `${key} ${operator === 'In' ? 'in' : 'notin'} (${list.join(',')})`;
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    case 'Gt':
      return `${key}>${first}`;
    case 'Lt':
      return `${key}<${first}`;
  }
}

function readRequirement(reader: TokenReader): Requirement {
  if (reader.peek() === '!') {
    reader.take();
    return { key: readKey(reader), operator: 'DoesNotExist', values: [] };
  }
  const key = readKey(reader);
  const operator = reader.peek();
  switch (operator) {
    case '':
    case ',':
      return { key, operator: 'Exists', values: [] };
    case '=':
    case '==':
      reader.take();
      return { key, operator: 'In', values: [readValue(reader)] };
    case '!=':
      reader.take();
      return { key, operator: 'NotIn', values: [readValue(reader)] };
    case 'in':
    case 'notin':
      reader.take();
      return { key, operator: operator === 'in' ? 'In' : 'NotIn', values: readValues(reader) };
    case '>':
    case '<':
      reader.take();
      return { key, operator: operator === '>' ? 'Gt' : 'Lt', values: [readInteger(reader)] };
    default:
      throw reader.unexpected(operator, "one of '=', '==', '!=', 'in', 'notin', '>', '<'");
  }
}

function readKey(reader: TokenReader): string {
  const key = reader.take();
  if (key === '' || isSymbol(key)) throw reader.unexpected(key, 'a label key');
  const problems = qualifiedNameProblems(key);
  if (problems.length > 0) throw reader.invalid(`${JSON.stringify(key)} ${problems.join(', ')}`);
  return key;
}

function readValues(reader: TokenReader): readonly string[] {
  const opening = reader.take();
  if (opening !== '(') throw reader.unexpected(opening, "'('");
  const values = new Set<string>();
  for (;;) {
    values.add(readValue(reader));
    const next = reader.take();
    if (next === ')') return [...values];
    if (next !== ',') throw reader.unexpected(next, "',' or ')'");
  }
}

/** A value may be empty: `a=` and `a in (,b)` ask for the empty value. */
function readValue(reader: TokenReader): string {
  const next = reader.peek();
  if (next === '' || next === ',' || next === ')') return '';
  if (isSymbol(next)) throw reader.unexpected(next, 'a label value');
  reader.take();
  const problems = labelValueProblems(next);
  if (problems.length > 0) throw reader.invalid(`${JSON.stringify(next)} ${problems.join(', ')}`);
  return next;
}

function readInteger(reader: TokenReader): string {
  const value = readValue(reader);
  if (!/^[0-9]+$/.test(value))
    throw reader.invalid(`${JSON.stringify(value)} must be a whole number behind '>' and '<'`);
  return value;
}

function isSymbol(text: string): boolean {
  return /^[=!<>(),]/.test(text);
}

/** Walks over the text token by token; the end reads as the empty token. */
class TokenReader {
  readonly #text: string;
  #position = 0;

  constructor(text: string) {
    this.#text = text;
  }

  peek(): string {
    token.lastIndex = this.#position;
    const [, symbol, word] = token.exec(this.#text) ?? [];
    return symbol ?? word ?? '';
  }

  take(): string {
    const text = this.peek();
    this.#position = token.lastIndex;
    return text;
  }

  unexpected(found: string, expected: string): InvalidSelectorError {
    return this.invalid(`found ${found === '' ? 'the end' : `'${found}'`} where ${expected} was expected`);
  }

  invalid(message: string): InvalidSelectorError {
    return new InvalidSelectorError([
      { path: '', message: `invalid selector ${JSON.stringify(this.#text)}: ${message}` },
    ]);
  }
}
