import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { configMaps, type KubeObject, type Resource } from '@atoll/kube';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { connect, newNamespace } from './control-plane.ts';

const file = fileURLToPath(new URL('../examples/website-operator.ts', import.meta.url));
const program = readFileSync(file, 'utf8');

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

describe('the operator of the README', () => {
  it('is the one that is tested, and has at most 60 lines', () => {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    expect(readme).toContain(`\`\`\`ts\n${program}\`\`\``);
    expect(program.trimEnd().split('\n').length).toBeLessThanOrEqual(60);
  });

  it('keeps a ConfigMap as the Website says, says so, and ends when it is asked', async () => {
    await using client = await connect();
    const namespace = await newNamespace(client, 'readme');
    const env = { ...process.env, KUBECONFIG: inject('kubeconfig'), HEALTH_ADDRESS: '127.0.0.1:0' };
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
});
