import { setTimeout as delay } from 'node:timers/promises';
import type { Rest } from '../api/rest.ts';
import { nodeSpecsOf, poolLabel, zoneLabel, type ClusterShape, type NodeSpec } from './node-spec.ts';

export interface NodeSummary {
  readonly name: string;
  readonly ready: boolean;
  readonly pool: string | undefined;
  readonly zone: string | undefined;
}

/** A node with this annotation reports Ready=False; see stages/node.yaml. */
const reportAnnotation = 'testbed.atoll.dev/report';
/** Requests in flight: more would only queue in the API server's priority levels. */
const parallelism = 8;

/** Registers nodes as their kubelets would; kwok then makes them Ready. Yields their names. */
export async function addNodes(rest: Rest, shape: ClusterShape): Promise<string[]> {
  const taken = new Set((await listNodes(rest)).map((node) => node.name));
  const specs = nodeSpecsOf(shape, taken);
  await inParallel(specs, async (spec) => {
    await rest.json('POST', '/api/v1/nodes', nodeOf(spec));
  });
  return specs.map((spec) => spec.name);
}

export async function removeNodes(rest: Rest, names: readonly string[]): Promise<void> {
  await inParallel(names, async (name) => {
    await rest.json('DELETE', `/api/v1/nodes/${name}`);
  });
}

export async function labelNodes(
  rest: Rest,
  names: readonly string[],
  labels: Readonly<Record<string, string | null>>,
): Promise<void> {
  await patchNodes(rest, names, { metadata: { labels } });
}

export async function reportNodes(
  rest: Rest,
  names: readonly string[],
  state: 'Ready' | 'NotReady',
): Promise<void> {
  const value = state === 'Ready' ? null : state;
  await patchNodes(rest, names, { metadata: { annotations: { [reportAnnotation]: value } } });
}

export async function listNodes(rest: Rest): Promise<NodeSummary[]> {
  const { items } = await rest.json<{ items: readonly ListedNode[] }>('GET', '/api/v1/nodes');
  return items.map(({ metadata, status }) => ({
    name: metadata.name,
    ready:
      status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false,
    pool: metadata.labels?.[poolLabel],
    zone: metadata.labels?.[zoneLabel],
  }));
}

export async function awaitReadyNodes(rest: Rest, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const missing = (await listNodes(rest)).filter((node) => !node.ready).map((node) => node.name);
    if (missing.length === 0) return;
    if (Date.now() > deadline) {
      const some = missing.slice(0, 5).join(', ');
      throw new Error(`${missing.length} nodes are not Ready after ${timeoutMs / 1000} s: ${some}`);
    }
    await delay(100);
  }
}

interface ListedNode {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

function nodeOf(spec: NodeSpec): object {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: spec.name, labels: spec.labels },
    spec: { taints: spec.taints },
    status: { capacity: spec.size, allocatable: spec.size },
  };
}

async function patchNodes(rest: Rest, names: readonly string[], patch: object): Promise<void> {
  await inParallel(names, async (name) => {
    await rest.json('PATCH', `/api/v1/nodes/${name}`, patch, 'application/merge-patch+json');
  });
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const workers = Array.from({ length: parallelism }, async () => {
    for (const item of queue) await work(item);
  });
  await Promise.all(workers);
}
