import type { Options } from './options.ts';

/** A benchmark that can be called by its name. */
export interface Scenario {
  readonly name: string;
  /** One line for the list of scenarios. */
  readonly summary: string;
  readonly options: Options;
  /** Throws a `UsageError` for arguments that it does not understand. */
  run(args: readonly string[]): Promise<void>;
}
