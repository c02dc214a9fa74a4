import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import type { Environment } from './cache-directory.ts';

export interface GoProgram {
  /** How messages call it. */
  readonly name: string;
  /** The Go module that pins it: a folder with a go.mod and a go.sum. */
  readonly folder: string;
  readonly goPackage: string;
  /** The file to write; what Go needs meanwhile is in its folder. */
  readonly output: string;
  readonly ldflags?: string;
  readonly tags?: readonly string[];
  readonly environment: Environment;
  readonly signal?: AbortSignal;
  /** What Go does now, a line each. */
  readonly onLine?: (line: string) => void;
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

/** Builds one program. Rejects with the last lines that Go printed where that fails, and leaves no compiler running where the signal ends it. */
export async function buildGoProgram(go: string, program: GoProgram): Promise<void> {
  const { name, folder, goPackage, output, environment, signal, onLine } = program;
  const args = [
    'build',
    '-v',
    '-trimpath',
    '-buildvcs=false',
    '-ldflags',
    program.ldflags ?? '-s -w',
    ...(program.tags === undefined ? [] : ['-tags', program.tags.join(',')]),
    '-o',
    output,
    goPackage,
  ];
  const child = spawn('/bin/sh', ['-c', buildUnlessAbandoned, 'sh', go, ...args], {
    cwd: folder,
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
  const lines: string[] = [];
  let compiled = 0;
  child.once('exit', () => child.stdin.destroy());
  createInterface({ input: child.stderr }).on('line', (line) => {
    // `-v` prints the path of each package as it is compiled, and `go: downloading …` before.
    if (/^[\w.-]+(\/[\w.~-]+)*$/.test(line)) onLine?.(`${(compiled += 1)} packages compiled`);
    else {
      onLine?.(line);
      lines.push(line);
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
    throw new Error(`the Go build of ${name} failed (exit code ${code}):\n${lines.slice(-12).join('\n')}`);
  }
}
