// The bundle of kubectl-eds as people install it: a file of that name in a folder of PATH.
import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { obtainBinaries } from '@atoll/testbed';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { bundle } from '../build/bundle.ts';
import { programNamed } from '../build/programs.ts';

const folder = mkdtempSync(join(tmpdir(), 'atoll-plugin-'));
const installed = join(folder, 'kubectl-eds');
let kubectl: string;

beforeAll(async () => {
  await bundle(programNamed('kubectl-eds'), join(folder, 'dist'));
  copyFileSync(join(folder, 'dist', 'kubectl-eds.mjs'), installed);
  ({ kubectl } = await obtainBinaries());
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function run(...args: readonly string[]): Promise<string> {
  const env = {
    PATH: [folder, dirname(process.execPath), '/usr/bin', '/bin'].join(':'),
    HOME: folder,
    KUBECONFIG: inject('kubeconfig'),
  };
  return (await promisify(execFile)(kubectl, args, { env, cwd: folder })).stdout;
}

it('kubectl finds it', async () => {
  expect(await run('plugin', 'list')).toContain(installed);
});

it('kubectl runs it, without a name that ends in .mjs', async () => {
  expect(await run('eds', '--version')).toBe(`${packageJson.version}\n`);
  expect(await run('eds', '--help')).toContain('Usage: kubectl-eds');
});

it('reaches the cluster that kubectl reaches, and reports what is missing there', async () => {
  // Other files of the same control plane may have installed the kind: then the object is missing.
  const failure = await run('eds', 'get', 'nothing-here').catch((error: unknown) => error);
  expect(failure).toMatchObject({
    stderr: expect.stringMatching(/ExtendedDaemonSet|extendeddaemonset/) as string,
  });
});
