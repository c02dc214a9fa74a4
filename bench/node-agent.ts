import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient, deployments, loadKubeconfig } from '@atoll/kube';
import type { StreamingClient } from '@atoll/kube';
import { cpuMsOf, rssOf, startControlPlane, type ControlPlane } from '@atoll/testbed';
import { installAgentAccess, runAgent } from '@atoll/testbed/node-agent';
import { bundle } from '../scripts/build/bundle.ts';
import { programNamed } from '../scripts/build/programs.ts';
import { endsWithUs, temporaryFolder } from '../scripts/end-with-us.ts';
import { count, readOptions } from './options.ts';
import { progress } from './progress.ts';
import { podSpec } from './rollout/pod-spec.ts';
import type { Scenario } from './scenario.ts';
import { verdict, type Verdict } from './verdicts/verdict.ts';
import { verdictTable } from './verdicts/verdict-table.ts';

const options = {
  pods: count('pods on the node', 100),
  rest: count('seconds of nothing, in which the processor time is counted', 120),
};
const patienceMs = 300_000;
/** As `deploy/optional/agent.yaml` starts it. */
const asDeployed = ['MALLOC_ARENA_MAX=1', process.execPath, '--max-semi-space-size=1'];

/** What an agent takes of its node: as it is deployed, from the file that `npm run build` makes. */
export const nodeAgent: Scenario = {
  name: 'node-agent',
  summary: 'memory and processor time of a node agent, beside a Node that only waits',
  options,
  async run(args) {
    const given = readOptions(options, args);
    const folder = temporaryFolder('atoll-bench-agent-');
    await using controlPlane = await startControlPlane({
      fleet: { nodes: 1, size: { cpu: '32', memory: '256Gi', pods: String(given.pods + 10) } },
      onProgress: progress,
    });
    const access = await loadKubeconfig({ path: controlPlane.kubeconfig });
    const client = createClient(access, { userAgent: 'bench' });
    try {
      const script = await build(folder);
      await startPods(client, given.pods);
      const verdicts = await measure(controlPlane, client, script, given);
      process.stdout.write(
        verdictTable(`${given.pods} pods on the node, ${given.rest} s of rest.`, verdicts),
      );
      const missed = verdicts.filter(({ met }) => !met);
      if (missed.length > 0) throw new Error(`${missed.length} of ${verdicts.length} targets are missed`);
    } finally {
      await client.close();
    }
  },
};

async function build(folder: string): Promise<string> {
  await bundle(programNamed('atoll-agent'), folder);
  return join(folder, 'atoll-agent.mjs');
}

async function startPods(client: StreamingClient, replicas: number): Promise<void> {
  progress(`${replicas} pods are started`);
  const labels = { app: 'bench' };
  await client.create(deployments, {
    metadata: { namespace: 'default', name: 'bench' },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } },
  });
  await until(async () => {
    const { status } = await client.get(deployments, { namespace: 'default', name: 'bench' });
    return status?.readyReplicas === replicas;
  });
}

async function measure(
  controlPlane: ControlPlane,
  client: StreamingClient,
  script: string,
  { pods, rest }: { readonly pods: number; readonly rest: number },
): Promise<readonly Verdict[]> {
  await installAgentAccess(client, 'bench');
  const [node] = await controlPlane.nodes();
  const { pid = 0, url } = await runAgent(controlPlane, {
    node: node?.name ?? '',
    program: [script],
    start: ['/usr/bin/env', ...asDeployed],
    cacheDir: join(controlPlane.directory, 'agent'),
    until: 'readyz',
  });
  const { items } = (await (await fetch(`${url}/pods`)).json()) as { readonly items: readonly unknown[] };
  await delay(10_000);
  progress(`nothing happens for ${rest} s`);
  const before = cpuMsOf(pid);
  await delay(rest * 1000);
  const share = (100 * (cpuMsOf(pid) - before)) / (rest * 1000);
  const [rss, bare] = [rssOf(pid), await rssOfBareNode()];
  const megabytes = `${inMegabytes(rss)} (Node alone ${inMegabytes(bare)})`;
  return [
    verdict('pods that it shows', `≥ ${pods}`, String(items.length), items.length >= pods),
    verdict('memory, resident', '< 80 MB', megabytes, rss < 80e6),
    verdict('at rest: processor', '< 0.2 % of a core', `${share.toFixed(2)} %`, share < 0.2),
  ];
}

/** The peer: what any program on Node takes. */
async function rssOfBareNode(): Promise<number> {
  const bare = endsWithUs(
    spawn('/usr/bin/env', [...asDeployed, '-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' }),
  );
  await delay(2_000);
  const rss = rssOf(bare.pid ?? 0);
  bare.kill();
  return rss;
}

function inMegabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

async function until(done: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + patienceMs; !(await done()); await delay(100))
    if (Date.now() > deadline) throw new Error(`nothing after ${patienceMs / 1000} s`);
}
