import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isExecutable } from './assets.ts';
import { withLock } from './build-lock.ts';
import { cacheRoot, type Environment } from './cache-directory.ts';
import { findGo } from './find-go.ts';
import { buildGoProgram } from './go-program.ts';

/** A program of others that checks use, or of ours that measurements compare with, at the version that a Go module of ours requires. */
export interface GoTool {
  /** The name of the program. */
  readonly name: string;
  /** A folder with a go.mod whose `tool` line names the program, and its go.sum. */
  readonly folder: string;
  readonly goPackage: string;
  /** Sources of our own in the folder, which make another program of it when they change. */
  readonly sources?: readonly string[];
  /** Build tags that leave out what is not needed. */
  readonly tags?: readonly string[];
}

/** A build of another process takes minutes, also on a busy machine; after this time it hangs. */
const longestBuildMs = 30 * 60_000;

/**
 * The path of the program: built once for each go.sum and state of the sources and kept in `~/.cache/atoll/tools`. Takes minutes the first time. Rejects
 * where there is no Go, the build fails, or another process builds it for half an hour.
 */
export async function obtainGoTool(
  { name, folder, goPackage, sources = [], tags }: GoTool,
  environment: Environment = process.env,
): Promise<string> {
  const pinned = ['go.mod', 'go.sum', ...sources].map((file) => readFileSync(join(folder, file)));
  const hash = createHash('sha256').update(Buffer.concat(pinned)).digest('hex').slice(0, 12);
  const cache = join(cacheRoot(environment), 'tools');
  const program = join(cache, `${name}-${hash}`);
  if (isExecutable(program)) return program;
  mkdirSync(cache, { recursive: true });
  const build = async (): Promise<void> => {
    if (isExecutable(program)) return;
    const unfinished = `${program}.unfinished`;
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished);
    const output = join(unfinished, name);
    try {
      const go = await findGo(environment);
      await buildGoProgram(go, {
        name,
        folder,
        goPackage,
        output,
        environment,
        ...(tags === undefined ? {} : { tags }),
      });
      renameSync(output, program);
    } finally {
      rmSync(unfinished, { recursive: true, force: true });
    }
  };
  await withLock(`${program}.lock`, build, { longestMs: longestBuildMs });
  return program;
}
