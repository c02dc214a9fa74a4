import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';

const program = fileURLToPath(new URL('../kubectl-eds.ts', import.meta.url));

// It would be in the middle of the line that a person types.
it('of names shows nothing of a plugin that asks a person to log in', { timeout: 60_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'completion-'));
  onTestFinished(async () => rm(folder, { recursive: true, force: true }));
  const plugin = join(folder, 'plugin');
  await writeFile(plugin, "#!/bin/sh\necho 'type the code ABC' >&2\nexec sleep 30\n", { mode: 0o755 });
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: plugin,
    interactiveMode: 'IfAvailable',
  };
  const kubeconfig = join(folder, 'config');
  const config = {
    'current-context': 'x',
    contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
    clusters: [{ name: 'x', cluster: { server: 'http://127.0.0.1:1' } }],
    users: [{ name: 'x', user: { exec } }],
  };
  await writeFile(kubeconfig, JSON.stringify(config));
  const line = [program, '__complete', 'get', '--kubeconfig', kubeconfig, ''];
  expect(await promisify(execFile)(process.execPath, line)).toEqual({ stdout: ':4\n', stderr: '' });
});
