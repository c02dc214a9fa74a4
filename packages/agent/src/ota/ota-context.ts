import type { Client, Clock, Logger } from '@atoll/kube';
import type { UpgradeLog } from './upgrade-log.ts';

export interface SaveFailure {
  readonly file: string;
  readonly error: unknown;
}

/** What the requests that change something work with. */
export interface OtaContext {
  readonly nodeName: string;
  readonly client: Pick<Client, 'get' | 'delete' | 'patch'>;
  readonly compatStatusCodes: boolean;
  readonly upgrades: UpgradeLog;
  /** Resolves with undefined when the upgrades are on disk, else with why they are not. */
  readonly save: () => Promise<SaveFailure | undefined>;
  /** The upgrades have changed, and nobody waits until that is on disk. */
  readonly changed: () => void;
  /** The API server has answered: what waits for it need not wait any longer. */
  readonly reached: () => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Milliseconds for a write; what is not answered by then failed for the caller. */
export const writeTimeoutMs = 10_000;
