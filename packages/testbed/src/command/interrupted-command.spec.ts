import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { identifyProcess } from '../supervisor/process-identity.ts';
import { writeProcessRecord } from '../supervisor/process-record.ts';
import { controlPlaneDirectory, registerControlPlane } from './registered-control-plane.ts';
import { runCommand } from './run-command.ts';

const name = 'spec';
const gone = { pid: process.pid, started: 'long ago' };
let folder: string;
let server: Server;
let url: string;
let kubeconfig: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'interrupted-command-'));
  vi.stubEnv('TMPDIR', folder);
  // An API server that takes requests and answers none.
  server = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  kubeconfig = join(folder, 'kubeconfig');
  const clusters = [{ name, cluster: { server: url } }];
  const contexts = [{ name, context: { cluster: name } }];
  writeFileSync(kubeconfig, JSON.stringify({ clusters, contexts, 'current-context': name }));
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

/** Runs a command, interrupts it when it waits, and yields its exit code and what it printed. */
async function interrupted(args: readonly string[], waits: () => Promise<unknown>) {
  const ending = new AbortController();
  let out = '';
  let err = '';
  const streams = {
    out: { write: (text: string) => (out += text) },
    err: { write: (text: string) => (err += text) },
  };
  const ended = runCommand({ script: '', args, streams, signal: ending.signal });
  await waits();
  ending.abort();
  return { code: await ended, out, err };
}

const asked = async (): Promise<unknown> => once(server, 'request');

/** A control plane that is up, by what is recorded of it. */
function recordControlPlane(): string {
  const directory = controlPlaneDirectory(name);
  mkdirSync(directory);
  // This process is there, so nobody clears it away.
  const supervisor = identifyProcess(process.pid) ?? gone;
  writeProcessRecord(directory, { owner: gone, supervisor, programs: [] });
  const since = new Date().toISOString();
  registerControlPlane(directory, { name, url, kubeconfig, owner: gone, programs: [], since });
  return directory;
}

it.each(
  [
    ['nodes', 'add', '--count', '3'],
    ['nodes', 'remove', '--pool', 'a'],
  ].map((args) => [args]),
)('%j ends with 130 while it waits for the API server', async (args) => {
  const ended = await interrupted([...args, '--kubeconfig', kubeconfig], asked);
  expect(ended).toEqual({
    code: 130,
    out: '',
    err: 'atoll-testbed: interrupted; what the API server was asked for may be done all the same\n',
  });
});

it('nodes list ends with 130', async () => {
  expect(await interrupted(['nodes', 'list', '--kubeconfig', kubeconfig], asked)).toEqual({
    code: 130,
    out: '',
    err: 'atoll-testbed: interrupted\n',
  });
});

it('status ends with 130, and calls no control plane broken that it has not seen', async () => {
  recordControlPlane();
  expect(await interrupted(['status'], asked)).toEqual({
    code: 130,
    out: '',
    err: 'atoll-testbed: interrupted\n',
  });
});

it('down ends with 130, and says that the control plane goes on ending', async () => {
  const directory = recordControlPlane();
  const looked = async () => new Promise((resolve) => void setImmediate(resolve));
  expect(await interrupted(['down', '--name', name], looked)).toEqual({
    code: 130,
    out: '',
    err: `atoll-testbed: interrupted; the control plane ${name} was asked to end, and goes on doing so\n`,
  });
  expect(existsSync(directory)).toBe(true);
});
