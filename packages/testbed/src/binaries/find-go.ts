import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isExecutable } from './assets.ts';
import type { Environment } from './cache-directory.ts';

const minimumGo = [1, 26] as const;

/** The Go tool chain on PATH or where Go's own installer puts it; rejects where there is none, or one too old. */
export async function findGo(environment: Environment): Promise<string> {
  const folders = (environment['PATH'] ?? '').split(':').filter((folder) => folder !== '');
  const go = [...folders, '/usr/local/go/bin'].map((folder) => join(folder, 'go')).find(isExecutable);
  if (go === undefined) throw new Error('there is no Go tool chain on PATH');
  const env = { ...environment, GOTOOLCHAIN: 'local' };
  const { stdout } = await promisify(execFile)(go, ['env', 'GOVERSION'], { env, cwd: '/' });
  const [major = 0, minor = 0] = stdout.trim().replace(/^go/, '').split('.').map(Number);
  if (major < minimumGo[0] || (major === minimumGo[0] && minor < minimumGo[1])) {
    throw new Error(`Go ${minimumGo.join('.')} or later is needed, and ${go} is ${stdout.trim()}`);
  }
  return go;
}
