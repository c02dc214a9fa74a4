import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { create } from 'tar';
import packageJson from '../../package.json' with { type: 'json' };
import { temporaryFolder } from '../end-with-us.ts';
import { openModes } from './open-modes.ts';
import { programNamed, type ProgramName } from './programs.ts';

/** What people download: the commands. Operator and agent are images. */
export const archived: readonly ProgramName[] = ['kubectl-eds', 'check-eds', 'atoll-testbed'];

export const archiveName = (name: ProgramName): string => `${name}-${packageJson.version}.tar.gz`;

/** Writes `<folder>/<name>-<version>.tar.gz` from what `buildPrograms` left there. The same files give the same bytes. Yields the paths. */
export async function writeArchives(folder: string): Promise<readonly string[]> {
  const files: string[] = [];
  for (const name of archived) {
    const stage = temporaryFolder('atoll-archive-');
    try {
      files.push(await archive(name, folder, stage));
    } finally {
      rmSync(stage, { recursive: true, force: true });
    }
  }
  return files;
}

async function archive(name: ProgramName, folder: string, stage: string): Promise<string> {
  const { files = {}, helpers = [] } = programNamed(name);
  // A program with files of its own finds them in the folder of its name.
  const alone = Object.keys(files).length + helpers.length === 0;
  const program = alone ? name : `${name}.mjs`;
  cpSync(join(folder, `${name}.mjs`), join(stage, program));
  if (!alone) cpSync(join(folder, name), join(stage, name), { recursive: true });
  for (const file of ['LICENSE', `${name}.cdx.json`, `${name}.licences.txt`])
    cpSync(join(folder, file), join(stage, file));
  openModes(stage);
  const file = join(folder, archiveName(name));
  const entries = ['LICENSE', ...(alone ? [] : [name]), `${name}.cdx.json`, `${name}.licences.txt`, program];
  // Without owner, group and whatever else is of this machine; all from one moment.
  const options = { file, cwd: stage, gzip: { level: 9 }, portable: true, mtime: new Date(0) };
  await create(options, entries.toSorted());
  return file;
}
