import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { BinaryName } from '../control-plane/options.ts';
import { ownFiles } from '../own-files.ts';
import { isRunning, identifyProcess } from '../supervisor/process-identity.ts';
import type { Environment } from './cache-directory.ts';
import { findGo } from './find-go.ts';
import { formatElapsed } from './format-elapsed.ts';
import { binarySources, kubernetesVersion } from './versions.ts';

export interface GoBuildOptions {
  readonly names: readonly BinaryName[];
  /** The folder that the finished binaries are moved to, one by one. */
  readonly target: string;
  readonly environment: Environment;
  readonly onProgress?: (message: string) => void;
  readonly signal?: AbortSignal;
}

/**
 * Builds, and kills the build's whole group when the other end of its standard input closes: this process ended, by SIGKILL
 * perhaps, and nobody waits for the result.
 */
const buildUnlessAbandoned = `
exec 3<&0 </dev/null
"$@" 3<&- &
build=$!
{ read -r _ <&3; kill -KILL 0; } >/dev/null 2>&1 &
wait "$build"
`;

const modules = fileURLToPath(ownFiles.binaries);

/** Builds from source. What was finished before an interruption stays; what was not leaves no trace in `target`. */
export async function goBuild(options: GoBuildOptions): Promise<void> {
  const { names, target, onProgress } = options;
  const go = await findGo(options.environment);
  sweepUnfinished(target);
  const unfinished = join(target, `${unfinishedPrefix}${process.pid}`);
  mkdirSync(unfinished, { recursive: true });
  const begun = Date.now();
  try {
    for (const [index, name] of names.entries()) {
      options.signal?.throwIfAborted();
      const step = `building ${name} (${index + 1} of ${names.length})`;
      let detail = '';
      const tell = (): void => onProgress?.(`${step}, ${formatElapsed(Date.now() - begun)}${detail}`);
      tell();
      const ticker = setInterval(tell, 2000);
      try {
        await buildOne(go, name, join(unfinished, name), options, (line) => (detail = `: ${line}`));
      } finally {
        clearInterval(ticker);
      }
      renameSync(join(unfinished, name), join(target, name));
    }
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

async function buildOne(
  go: string,
  name: BinaryName,
  output: string,
  { environment, signal }: GoBuildOptions,
  onLine: (line: string) => void,
): Promise<void> {
  const { module, goPackage } = binarySources[name];
  const args = [
    'build',
    '-v',
    '-trimpath',
    '-buildvcs=false',
    '-ldflags',
    ldflags(module),
    '-o',
    output,
    goPackage,
  ];
  const child = spawn('/bin/sh', ['-c', buildUnlessAbandoned, 'sh', go, ...args], {
    cwd: join(modules, module),
    env: {
      ...environment,
      CGO_ENABLED: '0',
      GOTOOLCHAIN: 'local',
      GOFLAGS: '',
      GOWORK: 'off',
      // What Go has no time to remove when it is killed goes with the unfinished binaries.
      GOTMPDIR: dirname(output),
    },
    stdio: ['pipe', 'ignore', 'pipe'],
    // A group of its own, so that an abort also ends the compilers it started.
    detached: true,
  });
  const abort = (): void => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  };
  signal?.addEventListener('abort', abort, { once: true });
  const exitHook = (): void => abort();
  process.once('exit', exitHook);
  const said: string[] = [];
  let compiled = 0;
  child.once('exit', () => child.stdin.destroy());
  createInterface({ input: child.stderr }).on('line', (line) => {
    // `-v` prints the path of each package as it is compiled, and `go: downloading …` before.
    if (/^[\w.-]+(\/[\w.~-]+)*$/.test(line)) onLine(`${(compiled += 1)} packages compiled`);
    else {
      onLine(line);
      said.push(line);
    }
  });
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('error', reject);
  child.once('close', resolve);
  const code = await promise.finally(() => {
    signal?.removeEventListener('abort', abort);
    process.off('exit', exitHook);
  });
  signal?.throwIfAborted();
  if (code !== 0) {
    throw new Error(`the Go build of ${name} failed (exit code ${code}):\n${said.slice(-12).join('\n')}`);
  }
}

/** Clients parse the version that the programs report, so it is stamped, as release builds do. */
function ldflags(module: string): string {
  if (module !== 'kube') return '-s -w';
  const [major = '', minor = ''] = kubernetesVersion.slice(1).split('.');
  const values = {
    gitVersion: kubernetesVersion,
    gitMajor: major,
    gitMinor: minor,
    gitTreeState: 'clean',
    gitCommit: '0'.repeat(40),
    // Fixed: the same sources give the same binary.
    buildDate: '2026-01-01T00:00:00Z',
  };
  const stamps = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap((target) =>
    Object.entries(values).map(([key, value]) => `-X ${target}.${key}=${value}`),
  );
  return ['-s -w', ...stamps].join(' ');
}

const unfinishedPrefix = 'unfinished-';

function sweepUnfinished(target: string): void {
  mkdirSync(target, { recursive: true });
  for (const entry of readdirSync(target)) {
    if (!entry.startsWith(unfinishedPrefix)) continue;
    const identity = identifyProcess(Number(entry.slice(unfinishedPrefix.length)));
    if (identity === undefined || !isRunning(identity))
      rmSync(join(target, entry), { recursive: true, force: true });
  }
}
