/** What follows an option's name: a whole number from 1, a directory, or nothing. */
export type Option = Count | Directory | Flag;

export interface Count {
  readonly takes: 'count';
  readonly meaning: string;
  /** Where it is not given. */
  readonly otherwise: number;
}

interface Directory {
  readonly takes: 'directory';
  readonly meaning: string;
}

interface Flag {
  readonly takes: 'nothing';
  readonly meaning: string;
}

/** Under the name that follows `--`. */
export type Options = Readonly<Record<string, Option>>;

export type Given<Of extends Options> = { readonly [Name in keyof Of]: ValueOf<Of[Name]> };

type ValueOf<One extends Option> = One extends Count
  ? number
  : One extends Flag
    ? boolean
    : string | undefined;

/** The command line was wrong: reported in one line, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function count(meaning: string, otherwise: number): Count {
  return { takes: 'count', meaning, otherwise };
}

export function directory(meaning: string): Directory {
  return { takes: 'directory', meaning };
}

export function flag(meaning: string): Flag {
  return { takes: 'nothing', meaning };
}

/** Throws a {@link UsageError} that names the argument that is wrong. Of an option that is given twice the last counts. */
export function readOptions<Of extends Options>(options: Of, args: readonly string[]): Given<Of> {
  const given: Record<string, number | string | boolean | undefined> = {};
  for (const [name, option] of Object.entries(options)) given[name] = absent(option);
  const left = args.values();
  for (const argument of left) {
    const name = argument.replace(/^--/, '');
    const option = Object.hasOwn(options, name) && name !== argument ? options[name] : undefined;
    if (option === undefined)
      throw new UsageError(`unknown ${JSON.stringify(argument)}; ${allowed(options)}`);
    if (option.takes === 'nothing') given[name] = true;
    else if (option.takes === 'count') given[name] = positive(argument, left.next().value);
    else given[name] = path(argument, left.next().value);
  }
  return given as Given<Of>;
}

/** One line for each option, for people. */
export function describeOptions(options: Options): readonly string[] {
  return Object.entries(options).map(([name, option]) => {
    const placeholder = { count: ' N', directory: ' DIRECTORY', nothing: '' }[option.takes];
    const otherwise = option.takes === 'count' ? ` (${option.otherwise})` : '';
    return `${`--${name}${placeholder}`.padEnd(22)} ${option.meaning}${otherwise}`;
  });
}

function absent(option: Option): number | boolean | undefined {
  if (option.takes === 'count') return option.otherwise;
  return option.takes === 'nothing' ? false : undefined;
}

function positive(name: string, value: string | undefined): number {
  if (value !== undefined && /^[1-9]\d{0,5}$/.test(value)) return Number(value);
  throw new UsageError(`${name} needs a whole number from 1 to 999999, ${instead(value)}`);
}

/** What begins like an option is one whose directory was forgotten. */
function path(name: string, value: string | undefined): string {
  if (value !== undefined && value !== '' && !value.startsWith('--')) return value;
  throw new UsageError(`${name} needs a directory, ${instead(value)}`);
}

function instead(value: string | undefined): string {
  return value === undefined ? 'and nothing follows it' : `not ${JSON.stringify(value)}`;
}

function allowed(options: Options): string {
  return `there are ${Object.keys(options)
    .map((name) => `--${name}`)
    .join(', ')}`;
}
