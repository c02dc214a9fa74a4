import { spawn, type ChildProcess } from 'node:child_process';
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
export async function runPlugin(
  plugin: ExecPlugin,
  info: string,
  { clock, signal = neverEnding, terminal = noTerminal, interactive = false }: PluginRun,
): Promise<string> {
  if (signal.aborted) throw unneeded(plugin);
  const child = spawn(plugin.command, plugin.args, {
    // Plugins need PATH, HOME and the variables of their cloud: they inherit everything, as with kubectl.
    env: { ...process.env, ...plugin.env, KUBERNETES_EXEC_INFO: info },
    // A terminal is handed on as it is, so that the plugin sees that it is one.
    stdio: [interactive ? 'inherit' : 'ignore', 'pipe', terminal.output ? 'inherit' : 'pipe'],
  });
  const timeoutMs = terminal.output || interactive ? personTimeoutMs : pluginTimeoutMs;
  const running = new RunningPlugin(plugin, child, { clock, terminal, timeoutMs });
  const leave = (): void => running.leave();
  signal.addEventListener('abort', leave, { once: true });
  try {
    return await running.output;
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

/** A plugin until it has ended, or nobody waits for it any more. */
class RunningPlugin {
  readonly #plugin: ExecPlugin;
  readonly #child: ChildProcess;
  readonly #clock: Clock;
  readonly #late: string;
  readonly #result = Promise.withResolvers<string>();
  readonly #output: Buffer[] = [];
  readonly #complaint: Buffer[] = [];
  #printed = 0;
  #isLate = false;
  /** Of the one timer that runs. */
  #cancel: () => void;

  constructor(
    plugin: ExecPlugin,
    child: ChildProcess,
    {
      clock,
      terminal,
      timeoutMs,
    }: { readonly clock: Clock; readonly terminal: PluginTerminal; readonly timeoutMs: number },
  ) {
    this.#plugin = plugin;
    this.#child = child;
    this.#clock = clock;
    this.#late = ` did not end within ${timeoutMs / 1000} s`;
    this.#cancel = clock.setTimer(timeoutMs, () => this.#askToEnd());
    child.stdout?.on('data', (chunk: Buffer) => this.#take(this.#output, chunk));
    child.stderr?.on('data', (chunk: Buffer) => {
      terminal.print(chunk);
      this.#take(this.#complaint, chunk);
    });
    child.on('error', (error) => {
      const hint = plugin.installHint === undefined ? '' : `; ${plugin.installHint.trim()}`;
      this.#fail(`: ${describeFileFault(error)}${hint}`, error);
    });
    child.on('exit', (code, signal) => {
      this.#cancel();
      this.#cancel = clock.setTimer(outputMs, () => this.#ended(code, signal));
    });
    child.on('close', (code, signal) => this.#ended(code, signal));
  }

  /** What it printed. Rejects with a {@link CredentialError}. */
  get output(): Promise<string> {
    return this.#result.promise;
  }

  /** Nobody needs it any more: it is asked to end, and not waited for. */
  leave(): void {
    this.#child.removeAllListeners('exit').removeAllListeners('close');
    this.#child.kill('SIGTERM');
    this.#child.unref();
    this.#close();
    this.#result.reject(unneeded(this.#plugin));
  }

  #askToEnd(): void {
    this.#isLate = true;
    this.#child.kill('SIGTERM');
    this.#cancel = this.#clock.setTimer(graceMs, () => this.#fail(this.#late));
  }

  #take(chunks: Buffer[], chunk: Buffer): void {
    chunks.push(chunk);
    this.#printed += chunk.length;
    if (this.#printed > mostOutput) this.#fail(` printed more than ${mostOutput} bytes`);
  }

  #ended(code: number | null, signal: NodeJS.Signals | null): void {
    if (code !== 0 && this.#isLate) return this.#fail(this.#late);
    if (code !== 0)
      return this.#fail(code === null ? ` was ended by ${signal}` : ` ended with exit code ${code}`);
    this.#close();
    this.#result.resolve(Buffer.concat(this.#output).toString('utf8'));
  }

  #fail(why: string, cause?: unknown): void {
    const { exitCode, signalCode } = this.#child;
    if (exitCode === null && signalCode === null) this.#child.kill('SIGKILL');
    this.#close();
    const complaint = Buffer.concat(this.#complaint).toString('utf8').trim();
    const message = `exec plugin ${this.#plugin.command}${why}${complaint === '' ? '' : `: ${complaint}`}`;
    this.#result.reject(new CredentialError(message, { cause }));
  }

  #close(): void {
    this.#cancel();
    // There are none where the process has no file descriptors left; the child then has an error only.
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
  }
}

function unneeded(plugin: ExecPlugin): CredentialError {
  return new CredentialError(`exec plugin ${plugin.command} is not needed any more`);
}
