import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { answerJson, answerStatus, TestServer } from '@atoll/kube/testing';

const commandLine = fileURLToPath(new URL('command-line.ts', import.meta.url));

it('an agent whose disk does not answer ends when it is asked to', { timeout: 120_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agent-'));
  onTestFinished(async () => rm(folder, { recursive: true, force: true }));
  // Opening it to write never ends: nobody reads it.
  execFileSync('mkfifo', [join(folder, 'state.new')]);
  const watched = Promise.withResolvers<void>();
  await using server = await TestServer.start(({ url }, response) => {
    if (url.includes('sendInitialEvents')) return answerStatus(response, 422, 'Invalid', 'not known');
    if (!url.includes('watch=true'))
      return answerJson(response, 200, { kind: 'PodList', metadata: { resourceVersion: '5' }, items: [] });
    response.writeHead(200).flushHeaders();
    watched.resolve();
  });
  const kubeconfig = join(folder, 'config');
  const config = {
    'current-context': 'x',
    contexts: [{ name: 'x', context: { cluster: 'x' } }],
    clusters: [{ name: 'x', cluster: { server: server.url } }],
  };
  await writeFile(kubeconfig, JSON.stringify(config));
  const flags = ['--node-name', 'node-1', '--kubeconfig', kubeconfig, '--cache-dir', folder];
  const serving = ['--bind-address', '127.0.0.1:0'];
  const agent = spawn(process.execPath, [commandLine, ...flags, ...serving], { stdio: 'ignore' });
  onTestFinished(() => void agent.kill('SIGKILL'));
  const ended = once(agent, 'exit');
  await watched.promise;
  // The first write is begun after a tenth of a second.
  await new Promise((resolve) => setTimeout(resolve, 500));
  agent.kill('SIGTERM');
  expect(await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 15_000))])).toEqual([
    0,
    null,
  ]);
});

it(
  'an agent that waits for its kubeconfig at the start ends when it is asked to',
  { timeout: 120_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'agent-'));
    onTestFinished(async () => rm(folder, { recursive: true, force: true }));
    const kubeconfig = join(folder, 'config');
    execFileSync('mkfifo', [kubeconfig]);
    const flags = ['--node-name', 'node-1', '--kubeconfig', kubeconfig, '--cache-dir', folder];
    const agent = spawn(process.execPath, [commandLine, ...flags], { stdio: 'ignore' });
    onTestFinished(() => void agent.kill('SIGKILL'));
    const ended = once(agent, 'exit');
    // Waits until it is opened to be read. Nothing is ever written to it.
    await using _writer = await open(kubeconfig, 'w');
    agent.kill('SIGTERM');
    expect(await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 15_000))])).toEqual([
      0,
      null,
    ]);
  },
);
