import { spawn } from 'node:child_process';
import type { Clock } from '../clock/clock.ts';
import type { ExecPlugin } from './cluster-access.ts';
import { CredentialError, describeFileFault } from './credential-error.ts';
import { noTerminal, type PluginTerminal } from './plugin-terminal.ts';

/** How a plugin is run, besides what the kubeconfig says of it. */
export interface PluginRun {
  readonly clock: Clock;
  /** When it ends, so does the plugin. */
  readonly signal?: AbortSignal;
  /** Default: nobody is there. */
  readonly terminal?: PluginTerminal;
  /** It gets our standard input. */
  readonly interactive?: boolean;
}

/** Plugins may ask a cloud for a token; one that has not answered after a minute never will. */
const pluginTimeoutMs = 60_000;
/** The code that a person is to type at another device is good for a quarter of an hour at most clouds. */
const personTimeoutMs = 15 * 60_000;
/** One that was asked to end and has not after this is killed, and no longer waited for. */
const graceMs = 2_000;
/** A plugin may leave a process behind that holds its output open; what it printed itself is there at once. */
const outputMs = 500;
const neverEnding = new AbortController().signal;
/** A credential is a few kilobytes. */
const mostOutput = 1024 * 1024;

/**
 * Runs a credential plugin, and yields what it printed. Rejects with a {@link CredentialError} where it fails, prints
 * without end, or does not end in time, whether or not it heeds signals. When the signal ends, so does the plugin, and nobody waits for it.
 * What it prints on standard error is shown while it runs, as by client-go: it may be a code that a person is to type elsewhere.
 */
export function runPlugin(
  plugin: ExecPlugin,
  info: string,
  { clock, signal = neverEnding, terminal = noTerminal, interactive = false }: PluginRun,
): Promise<string> {
  const timeoutMs = terminal.output || interactive ? personTimeoutMs : pluginTimeoutMs;
  return new Promise((resolve, reject) => {
    const unneeded = (): CredentialError =>
      new CredentialError(`exec plugin ${plugin.command} is not needed any more`);
    if (signal.aborted) return reject(unneeded());
    const child = spawn(plugin.command, plugin.args, {
      // Plugins need PATH, HOME and the variables of their cloud: they inherit everything, as with kubectl.
      env: { ...process.env, ...plugin.env, KUBERNETES_EXEC_INFO: info },
      // A terminal is handed on as it is, so that the plugin sees that it is one.
      stdio: [interactive ? 'inherit' : 'ignore', 'pipe', terminal.output ? 'inherit' : 'pipe'],
    });
    // There are none where the process has no file descriptors left; the child then has an error only.
    const { stdout, stderr } = child as Partial<typeof child>;
    const output: Buffer[] = [];
    const complaint: Buffer[] = [];
    let printed = 0;
    let isLate = false;
    let cancel = clock.setTimer(timeoutMs, () => {
      isLate = true;
      child.kill('SIGTERM');
      cancel = clock.setTimer(graceMs, () => fail(late));
    });
    const late = ` did not end within ${timeoutMs / 1000} s`;
    const end = (): void => {
      cancel();
      signal.removeEventListener('abort', leave);
      stdout?.destroy();
      stderr?.destroy();
    };
    const fail = (why: string, cause?: unknown): void => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      end();
      const output = Buffer.concat(complaint).toString('utf8').trim();
      const message = `exec plugin ${plugin.command}${why}${output === '' ? '' : `: ${output}`}`;
      reject(new CredentialError(message, { cause }));
    };
    const leave = (): void => {
      child.removeAllListeners('exit').removeAllListeners('close');
      child.kill('SIGTERM');
      child.unref();
      end();
      reject(unneeded());
    };
    signal.addEventListener('abort', leave, { once: true });
    const take = (chunks: Buffer[], chunk: Buffer): void => {
      chunks.push(chunk);
      printed += chunk.length;
      if (printed > mostOutput) fail(` printed more than ${mostOutput} bytes`);
    };
    stdout?.on('data', (chunk: Buffer) => take(output, chunk));
    stderr?.on('data', (chunk: Buffer) => {
      terminal.print(chunk);
      take(complaint, chunk);
    });
    child.on('error', (error) => {
      const hint = plugin.installHint === undefined ? '' : `; ${plugin.installHint.trim()}`;
      fail(`: ${describeFileFault(error)}${hint}`, error);
    });
    const ended = (code: number | null, signal: NodeJS.Signals | null): void => {
      if (code !== 0 && isLate) return fail(late);
      if (code !== 0)
        return fail(code === null ? ` was ended by ${signal}` : ` ended with exit code ${code}`);
      end();
      resolve(Buffer.concat(output).toString('utf8'));
    };
    child.on('exit', (code, signal) => {
      cancel();
      cancel = clock.setTimer(outputMs, () => ended(code, signal));
    });
    child.on('close', ended);
  });
}
