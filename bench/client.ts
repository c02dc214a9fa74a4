import { fork, spawn, type ChildProcess } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { createClient, formatKey, keyOf, loadKubeconfig } from '@atoll/kube';
import { obtainGoTool, startControlPlane, type ControlPlane } from '@atoll/testbed';
import { endsWithUs, temporaryFolder } from '../scripts/end-with-us.ts';
import { firstMessage } from './client/first-message.ts';
import { podOf } from './client/pod.ts';
import { createPods, recordEvents } from './client/seed.ts';
import type { Measured, Task } from './client/task.ts';
import { count, readOptions, type Given } from './options.ts';
import type { Scenario } from './scenario.ts';
import { progress } from './progress.ts';

const options = {
  pods: count('pods to list and cache', 20_000),
  events: count('watch events', 50_000),
  requests: count('requests', 2000),
  runs: count('runs of each client, taking turns; the median counts', 3),
};

type Sizes = Given<typeof options>;

/** The clients that are compared; each run of each in a process of its own. */
const contenders: readonly Contender[] = [
  { name: '@kubernetes/client-node', file: 'client-node-child.ts' },
  {
    name: '@kubernetes/client-node, one dispatcher',
    file: 'client-node-child.ts',
    env: { SHARED_DISPATCHER: '1' },
  },
  { name: 'atoll, projection', file: 'atoll-child.ts' },
  { name: 'atoll, all fields', file: 'atoll-child.ts', env: { ALL_FIELDS: '1' } },
  { name: 'client-go, JSON', does: ['list', 'events'] },
  // The recorded events are JSON.
  { name: 'client-go, protobuf', env: { PROTOBUF: '1' }, does: ['list'] },
];

interface Contender {
  readonly name: string;
  /** A program for Node; absent: the one in Go. */
  readonly file?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Absent: everything. */
  readonly does?: readonly Task['what'][];
}

type Results = Record<Task['what'], Map<string, Measured[]>>;

export const client: Scenario = {
  name: 'client',
  summary: 'this library against @kubernetes/client-node and client-go on one control plane',
  options,
  async run(args) {
    const sizes = readOptions(options, args);
    const directory = temporaryFolder('atoll-bench-');
    const children = new Set<ChildProcess>();
    try {
      progress('building the client in Go');
      const goProgram = await obtainGoTool({
        name: 'bench-client-go',
        folder: join(import.meta.dirname, 'client', 'client-go'),
        goPackage: '.',
        sources: ['main.go'],
      });
      progress('starting etcd and kube-apiserver');
      await using controlPlane = await startControlPlane({
        components: [],
        apiServerFlags: { 'disable-admission-plugins': ['ServiceAccount'] },
        onProgress: progress,
      });
      const results = await compare(controlPlane, sizes, directory, children, goProgram);
      process.stdout.write(table(results, sizes));
    } finally {
      for (const child of children) child.kill();
    }
  },
};

async function compare(
  controlPlane: ControlPlane,
  sizes: Sizes,
  directory: string,
  children: Set<ChildProcess>,
  goProgram: string,
): Promise<Results> {
  const { kubeconfig } = controlPlane;
  const api = createClient(await loadKubeconfig({ path: kubeconfig }), { userAgent: 'bench' });
  const [listFile, eventsFile] = [join(directory, 'list.json'), join(directory, 'events.json')];
  progress(`creating ${sizes.pods} pods`);
  await createPods(api, sizes.pods);
  await writeFile(listFile, (await api.raw({ path: '/api/v1/pods', timeoutMs: 120_000 })).body);
  progress(`recording ${sizes.events} changes of their status`);
  const bytes = await recordEvents(api, sizes.pods, sizes.events, eventsFile);
  progress(`recorded ${(bytes / sizes.events / 1000).toFixed(1)} kB per event`);
  const names = Array.from({ length: Math.min(sizes.pods, 1000) }, (_, index) =>
    formatKey(keyOf(podOf(index))),
  );
  await api.close();

  const replay = await startReplay(
    [
      listFile,
      eventsFile,
      join(controlPlane.directory, 'serving.crt'),
      join(controlPlane.directory, 'serving.key'),
    ],
    children,
  );
  const replayConfig = join(directory, 'replay.kubeconfig');
  await writeFile(
    replayConfig,
    (await readFile(kubeconfig, 'utf8')).replace(controlPlane.url, `https://127.0.0.1:${replay}`),
  );
  const results: Results = { list: new Map(), events: new Map(), requests: new Map() };
  for (let run = 1; run <= sizes.runs; run++) {
    for (const what of ['list', 'events', 'requests'] as const) {
      for (const { name, file, env = {}, does } of contenders) {
        if (does?.includes(what) === false) continue;
        const target = what === 'events' ? replayConfig : kubeconfig;
        const task: Task = { kubeconfig: target, what, ...sizes, names };
        const measured = await measure(file ?? goProgram, task, env, children);
        results[what].set(name, [...(results[what].get(name) ?? []), measured]);
        progress(
          `run ${run} ${what.padEnd(8)} ${name.padEnd(40)} ${(measured.ms / 1000).toFixed(2)} s, ${(measured.cpuMs / 1000).toFixed(2)} s of processor`,
        );
      }
    }
  }
  return results;
}

async function measure(
  file: string,
  task: Task,
  env: NodeJS.ProcessEnv,
  children: Set<ChildProcess>,
): Promise<Measured> {
  const args = [JSON.stringify(task)];
  const given = { ...process.env, ...env };
  const child = file.endsWith('.ts')
    ? fork(new URL(`client/${file}`, import.meta.url), args, {
        env: given,
        // client-node warns of its own parameters.
        execArgv: ['--no-warnings'],
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      })
    : spawn(file, args, { env: given, stdio: ['ignore', 'pipe', 'inherit'] });
  children.add(endsWithUs(child));
  return new Promise((resolve, reject) => {
    const deadline = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`${file} did not finish ${task.what} within 5 minutes`));
    }, 300_000);
    let measured: Measured | undefined;
    let printed = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (printed += text));
    child.on('message', (message) => (measured = message as Measured));
    child.on('close', (code, signal) => {
      if (code === 0 && printed !== '') measured = JSON.parse(printed) as Measured;
      clearTimeout(deadline);
      children.delete(child);
      if (measured === undefined) reject(new Error(`${file} ended with ${signal ?? code} in ${task.what}`));
      else resolve(measured);
    });
  });
}

async function startReplay(files: readonly string[], children: Set<ChildProcess>): Promise<number> {
  const child = fork(new URL('client/replay-server.ts', import.meta.url), files, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  children.add(endsWithUs(child));
  const { port } = (await firstMessage(child, 'the replay server')) as { readonly port: number };
  return port;
}

function table(results: Results, { pods, events, requests, runs }: Sizes): string {
  const lines = [
    `${cpus().length} CPUs (${cpus()[0]?.model ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}; median of ${runs} (lowest–highest)`,
    '',
  ];
  const row = (cells: readonly string[]): void => void lines.push(`| ${cells.join(' | ')} |`);
  const section = (
    what: Task['what'],
    title: string,
    value: (measured: Measured) => number,
    unit: string,
    more: boolean,
  ): void => {
    row([
      'client',
      title,
      'ratio',
      'processor time',
      'ratio',
      'peak RSS',
      'of the first',
      'sockets opened',
      'at once',
    ]);
    row(Array.from({ length: 9 }, () => '---'));
    const baseline = results[what].get(contenders[0]?.name ?? '') ?? [];
    for (const [name, all] of results[what]) {
      const [mid, base] = [median(all.map(value)), median(baseline.map(value))];
      const [rss, baseRss] = [
        median(all.map((one) => one.peakRss)),
        median(baseline.map((one) => one.peakRss)),
      ];
      const [cpu, baseCpu] = [median(all.map((one) => one.cpuMs)), median(baseline.map((one) => one.cpuMs))];
      const range = `${format(Math.min(...all.map(value)))}–${format(Math.max(...all.map(value)))}`;
      row([
        name,
        `${format(mid)} ${unit} (${range})`,
        `${(more ? mid / base : base / mid).toFixed(2)}×`,
        `${format(cpu / 1000)} s`,
        `${(baseCpu / cpu).toFixed(2)}×`,
        `${Math.round(rss / 1e6)} MB`,
        `${Math.round((100 * rss) / baseRss)} %`,
        String(median(all.map((one) => one.sockets.opened))),
        String(median(all.map((one) => one.sockets.atOnce))),
      ]);
    }
    lines.push('');
  };
  section('list', `list and cache ${pods} pods`, ({ ms }) => ms / 1000, 's', false);
  section('events', `${events} watch events`, ({ ms }) => (events * 1000) / ms, 'events/s', true);
  section('requests', `${requests} requests`, ({ ms }) => (requests * 1000) / ms, 'requests/s', true);
  return `${lines.join('\n')}\n`;
}

function format(value: number): string {
  return value >= 100 ? String(Math.round(value)) : value.toFixed(2);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
