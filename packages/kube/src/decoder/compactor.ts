import { Buffer } from 'node:buffer';
import { DecodeError } from './decode-error.ts';
import { branchOf, type Branch, type FieldTree } from './field-tree.ts';

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Below this many bytes a loop is faster than a call that copies. */
const shortCopy = 40;

/**
 * Copies a JSON document without the fields that a tree skips, so that JSON.parse never sees them: parsing
 * is what costs, walking over bytes is cheap. Works on bytes throughout; no byte of a multi-byte UTF-8
 * character can be taken for a quote or a brace. What is skipped is not checked beyond its nesting.
 */
export class Compactor {
  #source: Buffer = Buffer.alloc(0);
  #end = 0;
  #out: Buffer = Buffer.allocUnsafe(16 * 1024);
  #length = 0;
  #apart: { readonly start: number; readonly end: number } | undefined;

  /** Where the last document has the field that its tree wants apart; undefined: it has none. */
  get apart(): { readonly start: number; readonly end: number } | undefined {
    return this.#apart;
  }

  /** The text of the value that starts at `start`, without what `tree` skips. `prefix` goes in behind the first brace. */
  compact(source: Buffer, start: number, end: number, tree: FieldTree, prefix?: Buffer): string {
    this.#source = source;
    this.#end = end;
    this.#length = 0;
    this.#apart = undefined;
    const room = end - start + (prefix?.length ?? 0) + 1;
    if (this.#out.length < room) this.#out = Buffer.allocUnsafe(room * 2);
    const after = this.#whitespace(this.#value(this.#whitespace(start), tree, prefix));
    if (after < end) throw new DecodeError(`unexpected byte at ${after - start} of a JSON document`);
    // Decoding UTF-8 is as fast as Latin-1 where all is ASCII (simdutf looks first), and always right.
    const text = this.#out.toString('utf8', 0, this.#length);
    if (this.#out.length > 4 * 1024 * 1024) this.#out = Buffer.allocUnsafe(16 * 1024);
    this.#source = this.#out;
    return text;
  }

  #value(at: number, branch: Exclude<Branch, 'skip' | 'apart'>, prefix?: Buffer): number {
    if (branch !== 'keep') {
      const first = this.#source[at];
      if (first === openBrace) return this.#object(at, branch, prefix);
      if (first === openBracket) return this.#list(at, branch);
    }
    const after = this.#skip(at);
    this.#copy(at, after);
    return after;
  }

  #object(at: number, tree: FieldTree, prefix: Buffer | undefined): number {
    this.#put(openBrace);
    const empty = this.#length;
    if (prefix !== undefined) this.#length += prefix.copy(this.#out, this.#length);
    let position = this.#whitespace(at + 1);
    if (this.#source[position] === closeBrace) {
      this.#put(closeBrace);
      return position + 1;
    }
    for (;;) {
      const keyStart = position;
      if (this.#source[keyStart] !== quote) throw this.#unexpected(keyStart);
      const keyEnd = this.#string(keyStart);
      const branch = this.#branch(tree, keyStart + 1, keyEnd - 1);
      position = this.#whitespace(keyEnd);
      if (this.#source[position] !== colon) throw this.#unexpected(position);
      position = this.#whitespace(position + 1);
      if (branch === 'skip' || branch === 'apart') {
        const start = position;
        position = this.#skip(position);
        if (branch === 'apart') this.#apart = { start, end: position };
      } else {
        if (this.#length > empty) this.#put(comma);
        this.#copy(keyStart, keyEnd);
        this.#put(colon);
        position = this.#value(position, branch);
      }
      position = this.#whitespace(position);
      const next = this.#source[position];
      if (next === closeBrace) {
        this.#put(closeBrace);
        return position + 1;
      }
      if (next !== comma) throw this.#unexpected(position);
      position = this.#whitespace(position + 1);
    }
  }

  /** Of any depth: lists in lists are taken in one loop. */
  #list(at: number, tree: FieldTree): number {
    let position = at;
    let depth = 0;
    for (;;) {
      if (this.#source[position] === openBracket) {
        depth += 1;
        this.#put(openBracket);
        position = this.#whitespace(position + 1);
        if (this.#source[position] !== closeBracket) continue;
      } else {
        position = this.#whitespace(this.#value(position, tree));
      }
      while (this.#source[position] === closeBracket) {
        depth -= 1;
        this.#put(closeBracket);
        position += 1;
        if (depth === 0) return position;
        position = this.#whitespace(position);
      }
      if (this.#source[position] !== comma) throw this.#unexpected(position);
      this.#put(comma);
      position = this.#whitespace(position + 1);
    }
  }

  #branch(tree: FieldTree, start: number, end: number): Branch {
    const source = this.#source;
    for (const { bytes, branch } of tree.fields) {
      if (bytes.length !== end - start || bytes[0] !== source[start]) continue;
      let same = 1;
      while (same < bytes.length && bytes[same] === source[start + same]) same++;
      if (same >= bytes.length) return branch;
    }
    // A key may be written with escapes and still be the same key.
    for (let i = start; i < end; i++) {
      if (source[i] === backslash) return branchOf(tree, keyText(source, start, end));
    }
    return tree.otherwise;
  }

  #skip(at: number): number {
    const source = this.#source;
    const end = this.#end;
    const first = source[at];
    if (first === quote) return this.#string(at);
    let position = at;
    if (first !== openBrace && first !== openBracket) {
      while (position < end && !endsScalar(source[position])) position++;
      if (position === at) throw this.#unexpected(at);
      return position;
    }
    let depth = 0;
    while (position < end) {
      const byte = source[position];
      if (byte === quote) {
        position = this.#string(position);
        continue;
      }
      position++;
      if (byte === openBrace || byte === openBracket) depth++;
      else if ((byte === closeBrace || byte === closeBracket) && --depth === 0) return position;
    }
    throw this.#unexpected(end);
  }

  #string(at: number): number {
    const source = this.#source;
    const end = this.#end;
    for (let position = at + 1; position < end; position++) {
      const byte = source[position];
      if (byte === quote) return position + 1;
      if (byte === backslash) position++;
    }
    throw this.#unexpected(end);
  }

  #whitespace(at: number): number {
    let position = at;
    while (position < this.#end && isWhitespace(this.#source[position])) position++;
    return position;
  }

  #put(byte: number): void {
    this.#out[this.#length++] = byte;
  }

  #copy(start: number, end: number): void {
    const source = this.#source;
    const out = this.#out;
    if (end - start > shortCopy) {
      this.#length += source.copy(out, this.#length, start, end);
      return;
    }
    let length = this.#length;
    for (let i = start; i < end; i++) out[length++] = source[i] ?? 0;
    this.#length = length;
  }

  #unexpected(at: number): DecodeError {
    return new DecodeError(
      at >= this.#end ? 'a JSON document ends too early' : `unexpected byte in a JSON document`,
    );
  }
}

function keyText(source: Buffer, start: number, end: number): string {
  try {
    const key: unknown = JSON.parse(source.toString('utf8', start - 1, end + 1));
    return typeof key === 'string' ? key : '';
  } catch (error) {
    throw new DecodeError('a key in a JSON document is not a string', { cause: error });
  }
}

/** Whether JSON may have the byte between its values. */
export function isWhitespace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function endsScalar(byte: number | undefined): boolean {
  return (
    byte === comma || byte === closeBrace || byte === closeBracket || byte === colon || isWhitespace(byte)
  );
}
