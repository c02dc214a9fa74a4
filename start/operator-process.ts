import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { programFile } from '../scripts/build/program-file.ts';

const operatorScript = programFile('atoll-operator');
const endWithParent = pathToFileURL(join(import.meta.dirname, 'end-with-parent.ts'));

export interface OperatorProcess {
  readonly kubeconfig: string;
  /** Holds the kubeconfig; removed by the operator should this process be killed. */
  readonly directory: string;
  readonly logFormat: 'json' | 'text';
}

/**
 * Runs the operator until it ends or the signal does, which lets it release its lease. Yields its exit code. However
 * this process ends, the operator does too.
 */
export async function runOperatorProcess(
  { kubeconfig, directory, logFormat }: OperatorProcess,
  signal: AbortSignal,
): Promise<number> {
  endWithParent.searchParams.set('directory', directory);
  const child = spawn(
    process.execPath,
    [
      '--import',
      endWithParent.href,
      operatorScript,
      '--kubeconfig',
      kubeconfig,
      '--bind-address',
      '127.0.0.1:0',
      '--log-format',
      logFormat,
    ],
    // A group of its own: Ctrl-C in a terminal reaches this process only, which then ends the operator in order.
    { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], detached: true },
  );
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.once('error', reject);
  child.once('exit', (code) => resolve(code ?? 1));
  const end = (): void => void child.kill('SIGTERM');
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  return promise;
}
