import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BinaryName } from '../control-plane/options.ts';
import { ownFiles } from '../own-files.ts';
import { isRunning, identifyProcess } from '../supervisor/process-identity.ts';
import { cacheDirectory, folderOf, type Environment } from './cache-directory.ts';
import { findGo } from './find-go.ts';
import { formatElapsed } from './format-elapsed.ts';
import { buildGoProgram } from './go-program.ts';
import { binarySources, kubernetesModule, kubernetesVersionOf } from './versions.ts';

export interface GoBuildOptions {
  readonly names: readonly BinaryName[];
  readonly environment: Environment;
  readonly onProgress?: (message: string) => void;
  readonly signal?: AbortSignal;
}

const modules = fileURLToPath(ownFiles.binaries);

/** Builds from source into the cache, one by one. What was finished before an interruption stays; what was not leaves no trace. */
export async function goBuild(options: GoBuildOptions): Promise<void> {
  const { names, environment, onProgress } = options;
  const version = kubernetesVersionOf(environment);
  const target = cacheDirectory(environment);
  const go = await findGo(environment);
  sweepUnfinished(target);
  const unfinished = join(target, `${unfinishedPrefix}${process.pid}`);
  mkdirSync(unfinished, { recursive: true });
  const begun = Date.now();
  try {
    for (const [index, name] of names.entries()) {
      options.signal?.throwIfAborted();
      const step = `building ${name} (${index + 1} of ${names.length})`;
      let detail = '';
      const report = (): void => onProgress?.(`${step}, ${formatElapsed(Date.now() - begun)}${detail}`);
      report();
      const ticker = setInterval(report, 2000);
      try {
        const { module, goPackage } = binarySources[name];
        await buildGoProgram(go, {
          name,
          folder: join(modules, module === 'kube' ? kubernetesModule(version) : module),
          goPackage,
          output: join(unfinished, name),
          ldflags: ldflags(module, version),
          environment,
          onLine: (line) => (detail = `: ${line}`),
          ...(options.signal === undefined ? {} : { signal: options.signal }),
        });
      } finally {
        clearInterval(ticker);
      }
      mkdirSync(folderOf(name, environment), { recursive: true });
      renameSync(join(unfinished, name), join(folderOf(name, environment), name));
    }
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** Clients parse the version that the programs report, so it is stamped, as release builds do. */
function ldflags(module: string, version: string): string {
  if (module !== 'kube') return '-s -w';
  const [major = '', minor = ''] = version.slice(1).split('.');
  const values = {
    gitVersion: version,
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
