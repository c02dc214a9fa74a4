import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { operatorNames } from '@atoll/api';
import { cpuMsOf, peakRssOf, type Component, type ControlPlane } from '@atoll/testbed';
import { programFile } from '../../scripts/build/program-file.ts';

const script = programFile('atoll-operator');
const account = { namespace: operatorNames.namespace, name: operatorNames.serviceAccount };

/** As in a container of `deploy/`: MiB of heap that Node takes by itself with its limit, 512 MiB, and the NODE_OPTIONS there. */
const asDeployed = ['--max-heap-size=259', '--max-semi-space-size=8'];

/** The operator as a process of its own, under its own ServiceAccount. */
export class OperatorProcess {
  /** Milliseconds from the start of the process until its caches were filled. */
  readonly syncedAfterMs: number;
  readonly #component: Component;
  readonly #pid: number;

  private constructor(component: Component, pid: number, syncedAfterMs: number) {
    this.#component = component;
    this.#pid = pid;
    this.syncedAfterMs = syncedAfterMs;
  }

  /** Resolves when its caches are filled. `profile`: a directory for the processor profile of the process. */
  static async start(
    controlPlane: ControlPlane,
    profile: string | undefined,
    flags: readonly string[] = [],
  ): Promise<OperatorProcess> {
    const kubeconfig = await controlPlane.kubeconfigFor(account);
    const profiling = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
    const startedAt = Date.now();
    const component = await controlPlane.runProgram({
      name: 'operator',
      file: process.execPath,
      args: [
        ...asDeployed,
        ...profiling,
        script,
        '--kubeconfig',
        kubeconfig,
        '--bind-address',
        '127.0.0.1:0',
        ...flags,
      ],
    });
    for (const deadline = Date.now() + 60_000; ; await delay(20)) {
      const log = await readFile(component.logFile, 'utf8').catch(() => '');
      const synced = syncedAt(log, startedAt);
      const { pid } = component;
      if (pid === undefined) throw new Error(`the operator ended:\n${component.lastWords()}`);
      if (synced !== undefined) return new OperatorProcess(component, pid, synced - startedAt);
      if (Date.now() > deadline) throw new Error('the operator has no synced caches after 60 s');
    }
  }

  get cpuMs(): number {
    return cpuMsOf(this.#pid);
  }

  get peakRss(): number {
    return peakRssOf(this.#pid);
  }

  async stop(): Promise<void> {
    await this.#component.kill('SIGTERM');
  }
}

/** When this process (the log may hold earlier ones) said that its caches were filled. */
function syncedAt(log: string, startedAt: number): number | undefined {
  for (const line of log.split('\n').toReversed()) {
    if (!line.includes('"caches synced"')) continue;
    const { time } = JSON.parse(line) as { readonly time: number | string };
    const at = typeof time === 'number' ? time : Date.parse(time);
    if (at >= startedAt) return at;
  }
  return undefined;
}
