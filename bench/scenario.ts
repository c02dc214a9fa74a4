/** A benchmark that can be called by its name. */
export interface Scenario {
  readonly name: string;
  /** One line for the list of scenarios. */
  readonly summary: string;
  /** Options with their meaning, for people. */
  readonly options: readonly (readonly [option: string, meaning: string])[];
  /** Throws a {@link UsageError} for arguments that it does not understand. */
  run(args: readonly string[]): Promise<void>;
}

/** The command line was wrong: told in one line, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The value of an option that counts something. */
export function positive(name: string, value: string | undefined): number {
  const count = Number(value);
  if (Number.isInteger(count) && count >= 1) return count;
  throw new UsageError(`${name} needs a whole number from 1, not ${JSON.stringify(value ?? '')}`);
}
