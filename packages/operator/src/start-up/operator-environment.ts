import type { AdjustableLevel, Logger } from '@atoll/kube';

/** What the process is given besides its command line. */
export interface OperatorEnvironment {
  readonly version: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
  /** Absent: nobody changes what the log shows while it runs. */
  readonly logLevel?: AdjustableLevel;
}
