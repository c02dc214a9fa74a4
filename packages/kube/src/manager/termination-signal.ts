import type { Logger } from '../telemetry/logger.ts';
import { endProcess, type EndingProcess } from './end-process.ts';

/** What of `process` is needed. */
export interface SignalSource extends EndingProcess {
  once(event: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
}

/**
 * A signal that ends with the first SIGTERM or SIGINT, for a graceful shutdown. The second ends the process at once,
 * for a person who does not want to wait; its exit code is the shell's (128 + number).
 */
export function terminationSignal(source: SignalSource, logger: Logger): AbortSignal {
  const abort = new AbortController();
  const numbers = { SIGINT: 2, SIGTERM: 15 } as const;
  const listen = (name: keyof typeof numbers): void => {
    source.once(name, () => {
      if (abort.signal.aborted) return endProcess(source, 128 + numbers[name]);
      logger.info({ signal: name }, 'shutting down; a second signal ends at once');
      listen(name);
      abort.abort(new Error(`received ${name}`));
    });
  };
  listen('SIGINT');
  listen('SIGTERM');
  return abort.signal;
}
