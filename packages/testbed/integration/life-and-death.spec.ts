import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { namespaces } from '@atoll/kube';
import { startControlPlane, type ControlPlane } from '@atoll/testbed';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { programFile } from '../../../scripts/build/program-file.ts';
import { isRunning, type ProcessIdentity } from '../src/supervisor/process-identity.ts';
import { controlPlaneDirectory } from '../src/command/registered-control-plane.ts';
import { readProcessRecord, type NamedProcess } from '../src/supervisor/process-record.ts';
import { connect } from './connect.ts';

const script = programFile('atoll-testbed');
const patience = { timeout: 60_000, interval: 50 };

interface CommandResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function command(...args: readonly string[]): Promise<CommandResult> {
  const { promise, resolve } = Promise.withResolvers<CommandResult>();
  const child = execFile(process.execPath, [script, ...args], (_, out, err) => {
    resolve({ code: child.exitCode ?? -1, out, err });
  });
  return promise;
}

interface UpResult {
  readonly child: ChildProcess;
  readonly kubeconfig: string;
  readonly directory: string;
  readonly processes: readonly ProcessIdentity[];
}

/** Runs `up` in the foreground and waits until it prints that the control plane is up. */
async function upInForeground(name: string): Promise<UpResult> {
  const child = spawn(process.execPath, [script, 'up', '--name', name, '--nodes', '1', '--json'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { kubeconfig } = JSON.parse(line) as { kubeconfig: string };
  const directory = join(kubeconfig, '..');
  const record = readProcessRecord(directory);
  if (record === undefined) throw new Error('the control plane has no record of its processes');
  return { child, kubeconfig, directory, processes: [record.supervisor, ...record.programs] };
}

async function nothingLeft({ directory, processes }: UpResult): Promise<void> {
  await vi.waitFor(() => {
    expect(processes.filter(isRunning)).toEqual([]);
    expect(existsSync(directory)).toBe(false);
  }, patience);
}

describe('a control plane', () => {
  it.each(['SIGKILL', 'SIGINT', 'SIGTERM'] as const)(
    'leaves nothing when its owner gets %s',
    async (signal) => {
      const controlPlane = await upInForeground(`test-${process.pid}-${signal.toLowerCase()}`);
      expect(controlPlane.processes.length).toBe(6);
      controlPlane.child.kill(signal);
      const [code, killedBy] = (await once(controlPlane.child, 'exit')) as [number | null, string | null];
      expect([code, killedBy]).toEqual(signal === 'SIGKILL' ? [null, 'SIGKILL'] : [0, null]);
      await nothingLeft(controlPlane);
    },
  );

  it('ends its owner too when it is ended from outside', async () => {
    const controlPlane = await upInForeground(`test-${process.pid}-outside`);
    const [supervisor] = controlPlane.processes;
    process.kill(supervisor?.pid ?? 0, 'SIGKILL');
    const [code] = (await once(controlPlane.child, 'exit')) as [number | null];
    expect(code).toBe(1);
    await nothingLeft(controlPlane);
  });

  it('reports when a program ends by itself, and not when it was asked to', async () => {
    const messages: string[] = [];
    await using controlPlane: ControlPlane = await startControlPlane({
      components: ['kwok'],
      onUnexpectedExit: (message) => messages.push(message),
    });
    await controlPlane.component('kwok').restart();
    expect(messages).toEqual([]);
    process.kill(controlPlane.component('kwok').pid ?? 0, 'SIGKILL');
    await vi.waitFor(() => expect(messages).toEqual(['kwok ended by itself (SIGKILL)']), patience);
  });

  it('starts a scheduler again that ends by itself, and reports one that ends soon again', async () => {
    const messages: string[] = [];
    await using controlPlane: ControlPlane = await startControlPlane({
      components: ['kube-scheduler'],
      onUnexpectedExit: (message) => messages.push(message),
    });
    const scheduler = controlPlane.component('kube-scheduler');
    process.kill(scheduler.pid ?? 0, 'SIGKILL');
    await vi.waitFor(() => expect(scheduler).toMatchObject({ restarts: 1 }), patience);
    expect(messages).toEqual([]);
    process.kill(scheduler.pid ?? 0, 'SIGKILL');
    await vi.waitFor(() => expect(messages).toEqual(['kube-scheduler ended by itself (SIGKILL)']), patience);
    expect(scheduler).toMatchObject({ restarts: 1, pid: undefined });
  });

  it('runs beside another, each with its own objects', async () => {
    const [one, two] = await Promise.all([
      startControlPlane({ components: ['kube-controller-manager'] }),
      startControlPlane({ components: [] }),
    ]);
    try {
      await using first = await connect(one.kubeconfig);
      await using second = await connect(two.kubeconfig);
      await first.create(namespaces, { metadata: { name: 'only-here' } });
      await expect(second.get(namespaces, { name: 'only-here' })).rejects.toThrow('not found');
      await one.stop();
      // The other one does not notice.
      const { items } = await second.list(namespaces);
      expect(items.map((namespace) => namespace.metadata.name)).toContain('default');
    } finally {
      await Promise.all([one.stop(), two.stop()]);
    }
    expect(existsSync(one.directory) || existsSync(two.directory)).toBe(false);
  });

  it('can be given up while it starts, and leaves nothing', async () => {
    const directory = join(mkdtempSync(join(tmpdir(), 'atoll-test-')), 'controlPlane');
    const controller = new AbortController();
    const onProgress = (text: string): void => {
      if (text === 'starting kube-apiserver') controller.abort(new Error('changed my mind'));
    };
    await expect(startControlPlane({ directory, onProgress, signal: controller.signal })).rejects.toThrow(
      'changed my mind',
    );
    expect(existsSync(directory)).toBe(false);
    rmSync(join(directory, '..'), { recursive: true });
  });

  it('reports the output of a program that does not start', async () => {
    await expect(startControlPlane({ apiServerFlags: { 'no-such-flag': 1 } })).rejects.toThrow(
      /kube-apiserver ended while starting \(exit code 1\):[^]*unknown flag: --no-such-flag/,
    );
  });

  it('tries other ports when one is taken, and reports when none will do', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const taken = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const messages: string[] = [];
    await expect(
      startControlPlane({
        etcdFlags: { 'listen-client-urls': taken },
        onProgress: (text) => messages.push(text),
      }),
    ).rejects.toThrow('address already in use');
    other.close();
    expect(messages.filter((text) => text.startsWith('a port was taken')).length).toBe(2);
  });

  it('does not take a folder that holds something', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'atoll-test-'));
    writeFileSync(join(directory, 'thesis.tex'), 'years of work');
    await expect(startControlPlane({ directory })).rejects.toThrow('is not empty');
    expect(readFileSync(join(directory, 'thesis.tex'), 'utf8')).toBe('years of work');
    rmSync(directory, { recursive: true });
  });
});

describe('the command', () => {
  const name = `test-${process.pid}`;
  const folder = mkdtempSync(join(tmpdir(), 'atoll-test-'));
  const kubeconfig = join(folder, 'kubeconfig');
  let result: CommandResult;
  beforeAll(async () => {
    result = await command(
      'up',
      '--detach',
      '--name',
      name,
      '--pools',
      '2',
      '--lease',
      '900',
      '--kubeconfig',
      kubeconfig,
    );
  });
  const programs = (): readonly NamedProcess[] =>
    readProcessRecord(controlPlaneDirectory(name))?.programs ?? [];
  afterAll(async () => {
    await command('down', '--name', name);
    rmSync(folder, { recursive: true });
  });

  it('brings a control plane up and returns', () => {
    expect(result).toMatchObject({ code: 0 });
    expect(result.out).toContain(`export KUBECONFIG=${kubeconfig}`);
    expect(result.out).toContain(`atoll-testbed down --name ${name}`);
  });

  it('shows it', async () => {
    const { code, out } = await command('status', '--name', name, '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject([
      {
        name,
        state: 'Ready',
        kubeconfig,
        nodes: { ready: 6, total: 6, pools: { 'pool-1': 3, 'pool-2': 3 } },
      },
    ]);
  });

  it('listens on 127.0.0.1 only', () => {
    const addresses = programs().flatMap(({ pid }) => listeningAddresses(pid));
    expect(addresses.filter((address) => address !== '127.0.0.1')).toEqual([]);
    expect(addresses.length).toBeGreaterThanOrEqual(5);
  });

  it('gives no second control plane the same name', async () => {
    const { code, err } = await command('up', '--name', name);
    expect(code).toBe(1);
    expect(err).toContain(`a control plane named ${name} is up already`);
  });

  it('does not write over a kubeconfig that is not its own', async () => {
    const file = join(folder, 'precious');
    writeFileSync(file, 'apiVersion: v1\n');
    const { code, err } = await command('up', '--name', `${name}-b`, '--kubeconfig', file);
    expect(code).toBe(1);
    expect(err).toContain(`${file} exists and is not ours to overwrite`);
    expect(readFileSync(file, 'utf8')).toBe('apiVersion: v1\n');
  });

  it('adds, labels, lists and removes nodes', async () => {
    const added = await command('nodes', 'add', '--name', name, '--pool', 'pool-3', '--count', '2', '--json');
    expect(JSON.parse(added.out)).toEqual({ added: ['pool-3-node-1', 'pool-3-node-2'] });
    const labelled = await command('nodes', 'label', '--name', name, 'pool-3-node-1', 'tier=gold');
    expect(labelled.out).toBe('labelled pool-3-node-1\n');
    const removed = await command(
      'nodes',
      'remove',
      '--name',
      name,
      '--pool',
      'pool-3',
      '--count',
      '1',
      '--json',
    );
    expect(JSON.parse(removed.out)).toEqual({ removed: ['pool-3-node-2'] });
    const listed = await command('nodes', 'list', '--name', name, '--json');
    expect(JSON.parse(listed.out)).toHaveLength(7);
  });

  it.each([
    [
      'removes no node that is not there',
      ['nodes', 'remove', 'no-such-node'],
      'there is no node no-such-node',
    ],
    [
      'reports what the API server refuses',
      ['nodes', 'label', 'pool-1-node-1', 'a=not/valid'],
      'Invalid value',
    ],
  ])('%s', async (_, args, message) => {
    const { code, err } = await command(...args, '--name', name);
    expect(code).toBe(1);
    expect(err).toContain(message);
  });

  it('shows it as broken when one of its programs has ended', async () => {
    const manager = programs().find(({ name: program }) => program === 'kube-controller-manager');
    if (manager === undefined) throw new Error('there is no record of the controller manager');
    process.kill(manager.pid, 'SIGKILL');
    await vi.waitFor(async () => {
      const { code, out } = await command('status', '--name', name);
      expect([code, out.split('\n')[0]]).toEqual([1, `${name}: Broken`]);
      expect(out).toMatch(/ {2}kube-controller-manager( \(process \d+\))? has ended\n/);
    }, patience);
  });

  it('ends it, with everything that it wrote', async () => {
    const { code, out } = await command('down', '--name', name);
    expect({ code, out }).toEqual({ code: 0, out: `ended ${name}\n` });
    expect(existsSync(kubeconfig)).toBe(false);
    expect(await command('down', '--name', name)).toMatchObject({ code: 0, out: 'nothing was up\n' });
    expect(await command('status', '--name', name)).toMatchObject({ code: 3 });
  });
});

/** From /proc: the addresses of the listening TCP sockets of a process. */
function listeningAddresses(pid: number): string[] {
  const inodes = new Set(socketInodes(pid));
  const addresses: string[] = [];
  for (const [file, loopback] of [
    [`/proc/${pid}/net/tcp`, '0100007F'],
    [`/proc/${pid}/net/tcp6`, '0000000000000000FFFF00000100007F'],
  ] as const) {
    for (const line of readFileSync(file, 'utf8').split('\n').slice(1)) {
      const fields = line.trim().split(/\s+/);
      if (fields[3] !== '0A' || !inodes.has(fields[9] ?? '')) continue;
      const address = fields[1]?.split(':')[0] ?? '';
      addresses.push(address === loopback ? '127.0.0.1' : address);
    }
  }
  return addresses;
}

function socketInodes(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap(
    (fd) => /^socket:\[(\d+)\]$/.exec(readlinkSync(join(folder, fd)))?.[1] ?? [],
  );
}
