import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@atoll/kube';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { upgradablePod } from './pod.fixture.ts';
import { nodeFiles, StateFile, type AgentState, type Files } from './state-file.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'atoll-agent-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

const state: AgentState = { nodeName: 'node-1', pods: [upgradablePod()], upgrades: [] };

it('reads what was written, and only its owner may', async () => {
  const file = new StateFile(join(directory, 'below'));
  await file.write(state);
  expect(await file.read('node-1', silentLogger)).toEqual(state);
  expect(statSync(file.path).mode & 0o777).toBe(0o600);
});

describe('what is in the place of the temporary file', () => {
  it('does not decide who may read the state', async () => {
    const file = new StateFile(directory);
    writeFileSync(`${file.path}.new`, 'left', { mode: 0o644 });
    await file.write(state);
    expect(statSync(file.path).mode & 0o777).toBe(0o600);
    expect(await file.read('node-1', silentLogger)).toEqual(state);
  });

  it('does not lead the state elsewhere, as a link does', async () => {
    const file = new StateFile(directory);
    const other = join(directory, 'other');
    writeFileSync(other, 'kept');
    symlinkSync(other, `${file.path}.new`);
    await file.write(state);
    expect(readFileSync(other, 'utf8')).toBe('kept');
    expect(await file.read('node-1', silentLogger)).toEqual(state);
  });
});

it('yields nothing where there is no file, or one of another node', async () => {
  const file = new StateFile(directory);
  expect(await file.read('node-1', silentLogger)).toBeUndefined();
  await file.write(state);
  expect(await file.read('node-2', silentLogger)).toBeUndefined();
});

it.each<readonly [string, (path: string) => void]>([
  ['cut off', (path) => writeFileSync(path, readFileSync(path, 'utf8').slice(0, -20))],
  ['with more behind it', (path) => appendFileSync(path, '{}')],
  [
    'with one changed letter',
    (path) => writeFileSync(path, readFileSync(path, 'utf8').replace('uid-1', 'uid-2')),
  ],
  ['empty', (path) => writeFileSync(path, '')],
  ['that is something else', (path) => writeFileSync(path, '{"kind":"PodList"}')],
])('ignores a file %s, and logs it', async (_, spoil) => {
  const file = new StateFile(directory);
  await file.write(state);
  spoil(file.path);
  const warnings: string[] = [];
  const logger = { ...silentLogger, warn: (__: object, message: string) => void warnings.push(message) };
  expect(await file.read('node-1', logger)).toBeUndefined();
  expect(warnings).toEqual(['state file is corrupt; ignored']);
});

it('waits for nobody who writes to a pipe in its place, and puts the state there', async () => {
  const file = new StateFile(directory);
  execFileSync('mkfifo', [file.path]);
  const warned: unknown[] = [];
  const logger = { ...silentLogger, warn: ({ err }: { err?: unknown }) => void warned.push(err) };
  expect(await file.read('node-1', logger)).toBeUndefined();
  expect(warned).toEqual([new Error('it is a pipe; use a regular file')]);
  await file.write(state);
  expect(await file.read('node-1', silentLogger)).toEqual(state);
});

it.each(['writeFile', 'sync'] as const)(
  'keeps the last good file where the disk is full at %s',
  async (step) => {
    await new StateFile(directory).write(state);
    const full: Files = {
      ...nodeFiles,
      open: (async (...args: Parameters<Files['open']>) => {
        const handle = await nodeFiles.open(...args);
        handle[step] = async () => {
          throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
        };
        return handle;
      }) as Files['open'],
    };
    const file = new StateFile(directory, full);
    await expect(file.write({ ...state, pods: [] })).rejects.toThrow('no space left');
    expect(await file.read('node-1', silentLogger)).toEqual(state);
    expect(readdirSync(directory)).toEqual(['state']);
  },
);

it('writes where the file system flushes no directories', async () => {
  const files: Files = {
    ...nodeFiles,
    open: (async (...args: Parameters<Files['open']>) => {
      const handle = await nodeFiles.open(...args);
      if (args[1] !== 'r') return handle;
      handle.sync = async () => {
        throw Object.assign(new Error('invalid argument, fsync'), { code: 'EINVAL' });
      };
      return handle;
    }) as Files['open'],
  };
  await new StateFile(directory, files).write(state);
  expect(await new StateFile(directory).read('node-1', silentLogger)).toEqual(state);
});
