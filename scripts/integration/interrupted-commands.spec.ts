// Ctrl-C on each command that runs for long: it ends within seconds, and leaves neither a process nor a file. `npm start` and
// `atoll-testbed up` have this in their own specs.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { programFile } from '../build/program-file.ts';
import { WatchedCommand } from './watched-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'atoll-interrupted-'));
/** Of a cluster that does not answer: what is to run waits for it. */
const kubeconfig = join(folder, 'kubeconfig');
/** Answers nothing, so that its clients wait. */
let silent: Server;
let silentUrl: string;
let listing: Server | undefined;
let watches = 0;

beforeAll(async () => {
  silent = createServer(() => undefined);
  silentUrl = await urlOf(silent);
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster: { server: silentUrl } }],
      users: [{ name: 'u', user: { token: 't' } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    }),
  );
});

afterAll(() => {
  for (const server of [silent, listing]) {
    server?.closeAllConnections();
    server?.close();
  }
  rmSync(folder, { recursive: true, force: true });
});

/** Lists nothing, and answers no watch. */
async function serverOfAnEmptyList(): Promise<string> {
  const list = { kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [] };
  listing = createServer(({ url }, response) => {
    if (url?.includes('watch=') === true) watches += 1;
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(list));
  });
  return urlOf(listing);
}

async function urlOf(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Far more than it takes, and less than the 15 s for which a command waits for an answer. */
const soonMs = 10_000;

async function interrupted(command: WatchedCommand, withinMs: number): Promise<number> {
  const begun = performance.now();
  command.interrupt();
  const code = await command.ended();
  expect(performance.now() - begun, command.output).toBeLessThan(withinMs);
  await command.leavesNothing();
  expect(command.output).not.toMatch(/^\s+at .*:\d+/m);
  return code;
}

async function runs(command: WatchedCommand, program: string): Promise<void> {
  await vi.waitFor(
    () =>
      expect(
        command
          .processes()
          .map((each) => each.command)
          .join('\n'),
        command.output,
      ).toContain(program),
    { timeout: 180_000, interval: 20 },
  );
}

/** Requests are under way, so it waits for the cluster or the agent. */
async function asks(): Promise<void> {
  await new Promise<void>((resolve) => silent.once('request', () => resolve()));
}

describe('a program that waits for its cluster', () => {
  it.each([
    ['atoll-operator', () => ['--bind-address', '127.0.0.1:0', '--kubeconfig', kubeconfig], 0],
    [
      'atoll-agent',
      () => [
        '--node-name=n',
        '--bind-address=127.0.0.1:0',
        `--cache-dir=${join(folder, 'agent')}`,
        `--kubeconfig=${kubeconfig}`,
      ],
      0,
    ],
    ['atoll-agent', () => ['upgrade', 'web', '--address', silentUrl], 130],
    ['kubectl-eds', () => ['get', '--kubeconfig', kubeconfig], 130],
  ] as const)('%s ends with its exit code', async (name, args, code) => {
    using command = new WatchedCommand([programFile(name), ...args()]);
    await asks();
    expect(await interrupted(command, soonMs)).toBe(code);
  });

  it('kubectl eds get --watch ends with 130 while it watches', async () => {
    using command = new WatchedCommand([
      programFile('kubectl-eds'),
      'get',
      '--watch',
      `--kubeconfig=${kubeconfig}`,
      `--server=${await serverOfAnEmptyList()}`,
    ]);
    await vi.waitFor(() => expect(watches, command.output).toBe(1), { timeout: 60_000, interval: 20 });
    expect(await interrupted(command, soonMs)).toBe(130);
  });

  it('check-eds ends while it waits for its next look', async () => {
    using command = new WatchedCommand(
      [programFile('check-eds'), 'upgrade', 'agent', '--kubeconfig', kubeconfig],
      {
        CHECK_INTERVAL_SECONDS: '1',
      },
    );
    await asks();
    expect(await interrupted(command, soonMs)).toBe(130);
  });
});

describe('a command of this project', () => {
  it.each([
    [
      'npm run chaos',
      ['packages/operator/chaos/main.ts', '--nodes', '4', '--pools', '2', '--objects', '1'],
      'kube-apiserver',
    ],
    ['npm run fuzz', ['packages/operator/fuzz/main.ts', '--objects', '10'], 'kube-apiserver'],
    ['npm run bench', ['bench/main.ts', 'pools', '--pools', '2', '--runs', '1'], 'kube-apiserver'],
    ['npm run check', ['scripts/check.ts'], 'prettier'],
  ] as const)('%s ends with 130', async (_, args, program) => {
    using command = new WatchedCommand(['scripts/run.mjs', ...args]);
    await runs(command, program);
    // The API server and etcd end in their own time.
    expect(await interrupted(command, 60_000)).toBe(130);
  });
});
