import { isIPv6 } from 'node:net';
import { parseDuration } from '../values/duration.ts';

/** Reads the value of a flag. Throws an {@link InvalidValue} where it is none that is allowed. */
export interface ValueParser<T> {
  (text: string): T;
  /** Completes "Allowed is": `a whole number from 1 to 9999`. */
  readonly allowed: string;
}

/** The value of a flag is not allowed. Commander recognises it by its code, and adds the flag and the value to the message. */
export class InvalidValue extends Error {
  override readonly name = 'InvalidValue';
  readonly code = 'commander.invalidArgument';
}

/** A parser of the values that `read` yields something for. `allowed` completes "Allowed is". */
export function valueParser<T>(allowed: string, read: (text: string) => T | undefined): ValueParser<T> {
  const parse = (text: string): T => {
    const value = read(text);
    if (value === undefined) throw new InvalidValue(`Allowed is ${allowed}.`);
    return value;
  };
  return Object.assign(parse, { allowed });
}

/** Decimal digits alone, as kubectl takes numbers: neither a sign nor a point. */
export function wholeNumber(from: number, to: number): ValueParser<number> {
  return valueParser(`a whole number from ${from} to ${to}`, (text) => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return number >= from && number <= to ? number : undefined;
  });
}

/** `true` or `false`. */
export const trueOrFalse = valueParser('true or false', (text) =>
  text === 'true' || text === 'false' ? text === 'true' : undefined,
);

/** A duration in milliseconds, written as in Go. `read` refuses those that the flag does not take. */
export function duration(
  allowed: string,
  takes: (milliseconds: number) => boolean = (milliseconds) => milliseconds >= 0,
): ValueParser<number> {
  return valueParser(allowed, (text) => {
    try {
      const milliseconds = parseDuration(text);
      return takes(milliseconds) ? milliseconds : undefined;
    } catch {
      return undefined;
    }
  });
}

/** `host:port`, `:port` or `[IPv6]:port`, and `0` for nowhere. */
export const listenAddress = valueParser(
  'host:port, [IPv6]:port or :port with a port up to 65535, or 0 for none',
  (text) => {
    if (text === '0') return text;
    const [, v6, port] = /^(?:\[([^\s%]*)\]|[^\s:[\]]*):(\d{1,5})$/.exec(text) ?? [];
    if (port === undefined || Number(port) > 65_535) return undefined;
    return v6 === undefined || isIPv6(v6) ? text : undefined;
  },
);

/** Any text but the empty one: a variable that was not set makes `--flag=` of `--flag=$NAME`. */
export function text(allowed: string): ValueParser<string> {
  return valueParser(allowed, (given) => (given === '' ? undefined : given));
}
