import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  configMaps,
  createClient,
  loadKubeconfig,
  namespaces,
  type KubeObject,
  type Resource,
} from '@atoll/kube';
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import { packPackages } from '../../scripts/build/packages.ts';
import { root } from '../../scripts/checks.ts';

interface Website extends KubeObject {
  readonly spec: { readonly pages: Readonly<Record<string, string>> };
  readonly status?: { readonly conditions: readonly { readonly message: string }[] };
}

const websites: Resource<Website> = {
  group: 'example.dev',
  version: 'v1',
  kind: 'Website',
  plural: 'websites',
  namespaced: true,
};

const source = join(import.meta.dirname, 'website-operator.ts');
const work = mkdtempSync(join(tmpdir(), 'atoll-example-'));
/** A project of somebody else: nothing of this one is above it. */
const project = join(work, 'website-operator');
const environment = { ...process.env, NODE_OPTIONS: '--no-strip-types' };

async function run(command: string, args: readonly string[]): Promise<string> {
  const options = { cwd: project, env: environment };
  return promisify(execFile)(command, args, options).then(
    ({ stdout }) => stdout,
    (error: unknown) => {
      const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
      throw new Error(`${command} ${args.join(' ')}:\n${stdout}${stderr}`, { cause: error });
    },
  );
}

beforeAll(async () => {
  const archives = await packPackages(join(work, 'dist'));
  for (const file of ['package.json', 'tsconfig.json', 'website-operator.ts', 'try.ts'])
    cpSync(join(import.meta.dirname, file), join(project, file));
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', ...archives]);
  await run('npm', ['run', 'build']);
}, 300_000);

afterAll(() => {
  rmSync(work, { recursive: true, force: true });
});

it('is the one that the README of packages/kube shows, and has at most 60 lines', () => {
  const program = readFileSync(source, 'utf8');
  const readme = readFileSync(join(root, 'packages/kube/README.md'), 'utf8');
  expect(readme).toContain(`\`\`\`ts\n${program}\`\`\``);
  expect(program.trimEnd().split('\n').length).toBeLessThanOrEqual(60);
});

it('says in one line why it cannot begin', async () => {
  const env = { ...process.env, KUBECONFIG: '/nowhere' };
  const operator = spawn(process.execPath, [source], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const text = Array.fromAsync(operator.stderr.setEncoding('utf8'));
  expect(await once(operator, 'exit')).toEqual([1, null]);
  expect((await text).join('')).toBe(
    'website-operator: no kubeconfig: /nowhere: no such file (from KUBECONFIG)\n',
  );
});

it.each([
  ['from source', source],
  ['built with the package', join(project, 'website-operator.js')],
])('%s it keeps a ConfigMap as the Website says, reports it, and ends when it is asked', async (_, file) => {
  const namespace = `website-${file.endsWith('.ts') ? 'source' : 'built'}`;
  const client = createClient(await loadKubeconfig({ path: inject('kubeconfig') }), { userAgent: 'spec' });
  onTestFinished(async () => client.close());
  await client.create(namespaces, { metadata: { name: namespace } });
  const variables = file.endsWith('.js') ? environment : process.env;
  const env = { ...variables, KUBECONFIG: inject('kubeconfig'), HEALTH_ADDRESS: '127.0.0.1:0' };
  const operator = spawn(process.execPath, [file], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(operator, 'exit');
  onTestFinished(() => void operator.kill('SIGKILL'));
  let log = '';
  operator.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));

  const metadata = { namespace, name: 'shop' };
  await expect
    .poll(async () => log.includes('controllers start'), { message: 'the operator leads' })
    .toBe(true);
  await client.create(websites, { metadata, spec: { pages: { 'index.html': 'Welcome', about: 'Us' } } });
  const pages = async (): Promise<unknown> =>
    client.get(configMaps, metadata).then(
      ({ data }) => data,
      () => undefined,
    );
  await expect.poll(pages).toEqual({ 'index.html': 'Welcome', about: 'Us' });
  const body = { spec: { pages: { about: null } } };
  await client.patch(websites, metadata, { type: 'merge', body });
  await expect.poll(pages).toEqual({ 'index.html': 'Welcome' });
  await client.delete(configMaps, metadata);
  await expect.poll(pages).toEqual({ 'index.html': 'Welcome' });
  await expect
    .poll(async () => (await client.get(websites, metadata)).status?.conditions)
    .toMatchObject([{ type: 'Ready', status: 'True', message: '1 pages' }]);

  operator.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  expect(log).not.toMatch(/ ERROR /);
});

it('is tried on a control plane that the package of the testbed starts, without type stripping', async () => {
  expect(await run('npm', ['run', 'try'])).toContain('ConfigMap shop: {"index.html":"Welcome"}');
});

it('has types, and the command of the testbed', async () => {
  const index = join(project, 'node_modules/@atoll/kube/src/index');
  expect([existsSync(`${index}.d.ts`), existsSync(`${index}.ts`)]).toEqual([true, false]);
  expect(await run(join(project, 'node_modules/.bin/atoll-testbed'), ['--help'])).toContain(
    'Usage: atoll-testbed',
  );
});
