import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  clusterRoleBindings,
  clusterRoles,
  configMaps,
  createClient,
  deployments,
  loadKubeconfig,
  namespaces,
  requestToken,
  roleBindings,
  roles,
  serviceAccounts,
  type Deployment,
  type KubeObject,
  type Resource,
  type StreamingClient,
} from '@atoll/kube';
import { kubeconfigOf } from '@atoll/testbed';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { imageOf } from '../../scripts/build/dockerfile.ts';
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
const image = imageOf(readFileSync(join(import.meta.dirname, 'Dockerfile'), 'utf8'));
const environment = { ...process.env, NODE_OPTIONS: '--no-strip-types' };

async function run(command: string, args: readonly string[], cwd = project): Promise<string> {
  const options = { cwd, env: environment };
  return promisify(execFile)(command, args, options).then(
    ({ stdout }) => stdout,
    (error: unknown) => {
      const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
      throw new Error(`${command} ${args.join(' ')}:\n${stdout}${stderr}`, { cause: error });
    },
  );
}

/** An operator that runs until the test ends, with what it has logged so far. */
function startOperator(file: string, env: NodeJS.ProcessEnv) {
  const operator = spawn(process.execPath, [file], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(operator, 'exit');
  onTestFinished(() => void operator.kill('SIGKILL'));
  let text = '';
  operator.stderr.setEncoding('utf8').on('data', (more: string) => (text += more));
  return { operator, ended, log: () => text };
}

/** How an operator that has no cluster ends, and all that it says. */
async function endWithoutCluster(args: readonly string[], variables: NodeJS.ProcessEnv) {
  const env = { ...variables, KUBECONFIG: '/nowhere' };
  const operator = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const text = Array.fromAsync(operator.stderr.setEncoding('utf8'));
  return { exit: await once(operator, 'exit'), said: (await text).join('') };
}

beforeAll(async () => {
  const archives = await packPackages(join(work, 'dist'));
  for (const file of ['package.json', 'tsconfig.json', 'website-operator.ts', 'try.ts'])
    cpSync(join(import.meta.dirname, file), join(project, file));
  const [kube = '', testbed = ''] = archives;
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', kube]);
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--save-dev', testbed]);
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
  expect(await endWithoutCluster([source], process.env)).toEqual({
    exit: [1, null],
    said: 'website-operator: no kubeconfig: /nowhere: no such file (from KUBECONFIG)\n',
  });
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
  const { operator, ended, log } = startOperator(file, env);

  const metadata = { namespace, name: 'shop' };
  await expect
    .poll(async () => log().includes('controllers start'), { message: 'the operator leads' })
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
  expect(log()).not.toMatch(/ ERROR /);
});

it('is tried on a control plane that the package of the testbed starts, without type stripping', async () => {
  expect(await run('npm', ['run', 'try'])).toContain('ConfigMap shop: {"index.html":"Welcome"}');
});

describe('deploy.yaml', () => {
  const manifest = parseAllDocuments(readFileSync(join(import.meta.dirname, 'deploy.yaml'), 'utf8'));
  const objects = manifest.map((document) => document.toJS() as KubeObject);
  const resources: readonly Resource<KubeObject>[] = [
    namespaces,
    serviceAccounts,
    deployments,
    roles,
    roleBindings,
    clusterRoles,
    clusterRoleBindings,
  ];
  const named = { namespace: 'website-operator', name: 'website-operator' };
  let client: StreamingClient;

  beforeAll(async () => {
    client = createClient(await loadKubeconfig({ path: inject('kubeconfig') }), { userAgent: 'spec' });
    for (const object of objects) {
      const resource = resources.find(({ kind }) => kind === object.kind);
      if (resource === undefined) throw new Error(`no resource for kind ${object.kind}`);
      await client.apply(resource, object, { fieldManager: 'spec' });
    }
  });

  afterAll(async () => {
    await client.delete(namespaces, { name: named.namespace });
    await client.delete(clusterRoles, { name: named.name });
    await client.delete(clusterRoleBindings, { name: named.name });
    await client.close();
  });

  it('gives the operator all rights that it needs', async () => {
    const { certificateAuthority, server } = await loadKubeconfig({ path: inject('kubeconfig') });
    const { token } = await requestToken(client, named);
    const authority = certificateAuthority?.from === 'value' ? certificateAuthority.value : '';
    const kubeconfig = join(work, 'account.kubeconfig');
    writeFileSync(kubeconfig, kubeconfigOf(server, authority, { ...named, token }));
    const env = { ...environment, KUBECONFIG: kubeconfig, HEALTH_ADDRESS: '127.0.0.1:0' };
    const { operator, ended, log } = startOperator(join(project, 'website-operator.js'), env);
    await expect.poll(log).toContain(`lease=${named.namespace}/website`);
    const metadata = { namespace: named.namespace, name: 'rights' };
    await client.create(websites, { metadata, spec: { pages: { 'index.html': 'Welcome' } } });
    await expect
      .poll(async () => (await client.get(websites, metadata)).status?.conditions)
      .toMatchObject([{ type: 'Ready', status: 'True' }]);
    expect((await client.get(configMaps, metadata)).data).toEqual({ 'index.html': 'Welcome' });
    operator.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(log()).not.toMatch(/ (ERROR|WARN) /);
  });

  it('asks for the port of the health pages, and waits longer than the manager does', () => {
    const deployment = objects.find(({ kind }) => kind === 'Deployment') as Deployment;
    const pod = deployment.spec?.template.spec;
    expect(pod?.containers[0]?.ports?.map(({ containerPort }) => String(containerPort))).toEqual(image.ports);
    expect(pod?.terminationGracePeriodSeconds).toBeGreaterThan(30);
  });
});

it('needs only the files of its image, without what is there for development', async () => {
  const app = join(work, 'image');
  cpSync(project, app, { recursive: true });
  await run('npm', ['prune', '--omit=dev', '--no-audit', '--no-fund'], app);
  const pod = join(work, 'pod');
  for (const { from, to } of image.copies) {
    expect(to).toMatch(/^\/app\//);
    for (const path of from) cpSync(join(app, path), join(pod, path), { recursive: true });
  }
  expect(existsSync(join(pod, 'node_modules/@atoll/testbed'))).toBe(false);
  const [, ...args] = image.entrypoint.map((text) => text.replace(/^\/app\//, `${pod}/`));
  expect(await endWithoutCluster(args, environment)).toEqual({
    exit: [1, null],
    said: expect.stringContaining('website-operator: no kubeconfig: /nowhere'),
  });
});

it('has types, and the command of the testbed', async () => {
  const index = join(project, 'node_modules/@atoll/kube/src/index');
  expect([existsSync(`${index}.d.ts`), existsSync(`${index}.ts`)]).toEqual([true, false]);
  expect(await run(join(project, 'node_modules/.bin/atoll-testbed'), ['--help'])).toContain(
    'Usage: atoll-testbed',
  );
});
