import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { plainEnvironment } from '../commands/plain-environment.ts';
import type { Release } from './previous-release.ts';

/** What is kept of a release: enough to install it and to run its operator. */
const kept = ['dist', 'deploy', 'examples'];

/**
 * The folder with the bundles (`dist`), manifests (`deploy`) and samples of a release, built by its own documents from the history of
 * `repository`. It is kept under `cache` by commit, so it is built once.
 */
export async function buildRelease(release: Release, repository: string, cache: string): Promise<string> {
  const target = join(cache, release.commit);
  if (existsSync(target)) return target;
  const work = mkdtempSync(join(tmpdir(), 'atoll-release-'));
  try {
    const tree = join(work, 'tree');
    mkdirSync(tree);
    // Not a work tree: that would leave its mark in the repository if this process is killed.
    await shell(`git archive ${release.commit} | tar -x -C "${tree}"`, repository);
    // Installs what this release needs, too.
    await shell('npm run build', tree);
    const finished = join(work, 'finished');
    for (const part of kept) cpSync(join(tree, part), join(finished, part), { recursive: true });
    putInPlace(finished, target);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return target;
}

/** Two who build the same at once leave one whole result. */
function putInPlace(finished: string, target: string): void {
  mkdirSync(dirname(target), { recursive: true });
  const part = mkdtempSync(`${target}.part-`);
  cpSync(finished, part, { recursive: true });
  try {
    renameSync(part, target);
  } catch (error) {
    rmSync(part, { recursive: true, force: true });
    if (!existsSync(target)) throw error;
  }
}

async function shell(command: string, folder: string): Promise<void> {
  const options = { cwd: folder, env: plainEnvironment(), timeout: 600_000, maxBuffer: 64 * 1024 * 1024 };
  await promisify(execFile)('bash', ['-o', 'pipefail', '-c', command], options);
}
