import { cpus, loadavg } from 'node:os';
import {
  nodePools,
  operatorNames,
  yurtAppDaemons,
  type DeploymentTemplate,
  type PoolWorkload,
} from '@atoll/api';
import { install } from '@atoll/operator/install';
import {
  createClient,
  deployments,
  inParallel,
  isApiError,
  loadKubeconfig,
  mutatingWebhookConfigurations,
  sleep,
  systemClock,
  validatingWebhookConfigurations,
  type StreamingClient,
} from '@atoll/kube';
import { runOperator, startControlPlane } from '@atoll/testbed';
import { programFile } from '../scripts/build/program-file.ts';
import { count, readOptions } from './options.ts';
import { requestsInFlight } from './rollout/requests-in-flight.ts';
import type { Scenario } from './scenario.ts';
import { progress } from './progress.ts';

const script = programFile('atoll-operator');
const account = { namespace: operatorNames.namespace, name: operatorNames.serviceAccount };
const served = ['--webhook-bind-address', '127.0.0.1:0', '--webhook-url', 'https://127.0.0.1:0'];
const path = '/validate-apps-openyurt-io-v1alpha1-yurtappdaemon';
const key = { namespace: 'default', name: 'bench' };
const rounds = 30;

const options = { pools: count('pools that are selected', 1000) };

/** What a write of a workload costs with the webhooks, seen by the user and by the webhook. */
export const webhook: Scenario = {
  name: 'webhook',
  summary: 'what a workload for many pools waits for when the webhooks judge it',
  options,
  async run(args) {
    const { pools } = readOptions(options, args);
    await using controlPlane = await startControlPlane({ components: [], onProgress: progress });
    const access = await loadKubeconfig({ path: controlPlane.kubeconfig });
    const client = createClient(access, { userAgent: 'bench', onWarning: () => {} });
    try {
      await install(client, {});
      await inParallel([...Array(pools).keys()], requestsInFlight, async (index) => {
        const metadata = { name: `pool-${index}`, labels: { bench: 'yes' } };
        // A tenth of the pools keeps other pods away, each in its own way.
        const taints = [{ key: 'site', value: metadata.name, effect: 'NoSchedule' as const }];
        await client.create(nodePools, { metadata, spec: index % 10 === 0 ? { taints } : {} });
      });
      const operator = await runOperator(controlPlane, { script, account, args: served });
      progress('waiting until the webhooks are asked');
      await until(async () => isRegistered(client));
      await client.create(yurtAppDaemons, workload('started'));
      progress(`waiting for ${pools} children`);
      await until(
        async () => (await client.list(deployments, { namespace: 'default' })).items.length === pools,
      );
      progress('waiting until its own work is over, so that only the webhooks are measured');
      await until(async () => isAtRest(operator.url));
      const asked: Row[] = [];
      for (const [what, request] of requests(client, pools))
        asked.push(await row(what, request, operator.url));
      const { memory } = await readings(operator.url);
      await operator.kill('SIGTERM');
      await unregister(client);
      const bare: Row[] = [];
      for (const [what, request] of requests(client, pools)) bare.push(await row(what, request, undefined));
      process.stdout.write(table(pools, asked, bare, memory));
    } finally {
      await client.close();
    }
  },
};

function workload(image: string): PoolWorkload {
  const app = { app: 'bench' };
  const template = {
    metadata: { labels: app },
    spec: { containers: [{ name: 'web', image: `web:${image}` }] },
  };
  return {
    metadata: key,
    spec: {
      selector: { matchLabels: app },
      nodepoolSelector: { matchLabels: { bench: 'yes' } },
      workloadTemplate: {
        deploymentTemplate: {
          metadata: { labels: app },
          spec: { replicas: 0, template },
        } as DeploymentTemplate,
      },
    },
  };
}

async function create(client: StreamingClient, round: number): Promise<void> {
  const object = workload(`new-${round}`);
  await client.create(yurtAppDaemons, { ...object, metadata: { ...key, name: 'another' } }, { dryRun: true });
}

const template = '/spec/workloadTemplate/deploymentTemplate/spec';

async function change(client: StreamingClient, round: number): Promise<void> {
  await patch(client, `${template}/template/spec/containers/0/image`, `web:changed-${round}`);
}

async function scale(client: StreamingClient, round: number): Promise<void> {
  await patch(client, `${template}/replicas`, round + 1);
}

async function patch(client: StreamingClient, at: string, value: unknown): Promise<void> {
  const body = [{ op: 'replace', path: at, value }] as const;
  await client.patch(yurtAppDaemons, key, { type: 'json', body }, { dryRun: true });
}

type Request = (round: number) => Promise<void>;

function requests(client: StreamingClient, count: number): readonly (readonly [string, Request])[] {
  return [
    ['create, a template that was not seen before', async (round) => create(client, round)],
    ['create, the same template again', async () => create(client, 0)],
    [`change of the template, ${count} children`, async (round) => change(client, round)],
    [`change of replicas, ${count} children`, async (round) => scale(client, round)],
  ];
}

interface Row {
  readonly what: string;
  /** Sorted, in milliseconds, as the user waits. */
  readonly times: readonly number[];
  /** Of the validating webhook alone: its mean in milliseconds, and how many requests of all it answered within 100 ms. */
  readonly mean: number;
  readonly within: number;
  /** Milliseconds of processor time of the whole operator for each request, which other work does not disturb. */
  readonly cpu: number;
}

async function row(what: string, request: Request, operator: string | undefined): Promise<Row> {
  const before = await readings(operator);
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    await request(round);
    times.push(performance.now() - began);
  }
  const after = await readings(operator);
  const mean = ((after.seconds - before.seconds) / rounds) * 1000;
  const cpu = ((after.cpu - before.cpu) / rounds) * 1000;
  return { what, times: times.sort((a, b) => a - b), mean, within: after.within - before.within, cpu };
}

function table(count: number, asked: readonly Row[], bare: readonly Row[], memory: number): string {
  const lines = asked.map(({ what, times, mean, within, cpu }, index) => {
    const without = bare[index]?.times ?? [];
    const cells = [
      at(without, 0.5),
      at(times, 0.5),
      at(times, 0.99),
      mean.toFixed(1),
      `${within} of ${rounds}`,
      `${cpu.toFixed(0)} ms`,
    ];
    return `| ${what} | ${cells.join(' | ')} |`;
  });
  return [
    `${count} pools, ${rounds} dry runs of each, one after the other; milliseconds. Load of the machine ${loadavg()[0]?.toFixed(1)} on ${cpus().length} cores.`,
    '',
    '| | no webhook, median | with it, median | 99 % | the webhook alone, mean | within 100 ms | its processor time |',
    '|---|---|---|---|---|---|---|',
    ...lines,
    '',
    `Memory of the operator at the end: ${(memory / 1e6).toFixed(0)} MB.`,
    '',
  ].join('\n');
}

/** As if there had never been webhooks. */
async function unregister(client: StreamingClient): Promise<void> {
  const name = { name: operatorNames.webhookConfiguration };
  await client.delete(mutatingWebhookConfigurations, name);
  await client.delete(validatingWebhookConfigurations, name);
  await sleep(systemClock, 1_000);
}

function at(sorted: readonly number[], share: number): string {
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
}

async function isRegistered(client: StreamingClient): Promise<boolean> {
  try {
    await client.get(validatingWebhookConfigurations, { name: operatorNames.webhookConfiguration });
  } catch (error) {
    if (isApiError(error, 'NotFound')) return false;
    throw error;
  }
  // The API server sees it through a watch; until then an empty image passes.
  try {
    const bad = JSON.parse(JSON.stringify(workload('x')).replace('web:x', '')) as PoolWorkload;
    await client.create(yurtAppDaemons, bad, { dryRun: true });
    return false;
  } catch (error) {
    if (isApiError(error, 'Invalid')) return true;
    throw error;
  }
}

/** Whether no controller has looked at anything for five seconds. */
async function isAtRest(operator: string): Promise<boolean> {
  const { passes } = await readings(operator);
  await sleep(systemClock, 5_000);
  return (await readings(operator)).passes === passes;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 180_000;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error('it takes longer than 180 s');
    await sleep(systemClock, 200);
  }
}

interface Readings {
  /** Of the validating webhook: seconds of all requests, and how many were answered within 100 ms. */
  readonly seconds: number;
  readonly within: number;
  /** Seconds of the processor. */
  readonly cpu: number;
  /** Resident bytes. */
  readonly memory: number;
  /** Of all controllers. */
  readonly passes: number;
}

const nothingRead: Readings = { seconds: 0, within: 0, cpu: 0, memory: 0, passes: 0 };

/** What the operator reports of itself. */
async function readings(operator: string | undefined): Promise<Readings> {
  if (operator === undefined) return nothingRead;
  const lines = (await (await fetch(`${operator}/metrics`)).text()).split('\n');
  const read = (series: string): number =>
    lines
      .filter((line) => line.startsWith(series))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  const name = 'controller_runtime_webhook_latency_seconds';
  return {
    seconds: read(`${name}_sum{webhook="${path}"}`),
    within: read(`${name}_bucket{le="0.1",webhook="${path}"}`),
    cpu: read('process_cpu_seconds_total '),
    memory: read('process_resident_memory_bytes '),
    passes: read('controller_runtime_reconcile_total{'),
  };
}
