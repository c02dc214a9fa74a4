import { fork } from 'node:child_process';
import { CommandFailure, exitCodes } from './command-failure.ts';
import type { Output } from './output.ts';
import type { RegisteredControlPlane } from './registered-control-plane.ts';

/** What the process in the background sends to the one that waits for it. */
export type Report =
  | { readonly type: 'progress'; readonly text: string }
  | { readonly type: 'ready'; readonly controlPlane: RegisteredControlPlane }
  | { readonly type: 'failed'; readonly message: string; readonly exitCode: number };

/** Runs this same command in the background and resolves when its control plane is up. An interruption ends it. */
export async function detach(
  script: string,
  args: readonly string[],
  output: Output,
  signal: AbortSignal,
): Promise<RegisteredControlPlane> {
  const child = fork(script, [...args, '--report'], {
    detached: true,
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const { promise, resolve, reject } = Promise.withResolvers<RegisteredControlPlane>();
  child.on('message', (report: Report) => {
    if (report.type === 'progress') output.progress(report.text);
    else if (report.type === 'ready') resolve(report.controlPlane);
    else reject(new CommandFailure(report.message, report.exitCode));
  });
  child.once('error', reject);
  child.once('exit', (code, killedBy) => {
    const how = killedBy ?? `exit code ${code}`;
    reject(
      signal.aborted
        ? new CommandFailure('interrupted before it was up; nothing is left running', exitCodes.interrupted)
        : new CommandFailure(`the process in the background ended before the control plane was up (${how})`),
    );
  });
  const interrupt = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', interrupt, { once: true });
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', interrupt);
    if (child.connected) child.disconnect();
    child.unref();
  }
}

/** The other end, in the background: reports go to the one that waits, until the control plane is up. */
export function reportToParent(report: Report): void {
  if (process.connected) process.send?.(report, () => undefined);
}
