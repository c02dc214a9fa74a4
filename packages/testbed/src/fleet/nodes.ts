import { setTimeout as delay } from 'node:timers/promises';
import { inParallel, isReady, nodes, type Client, type Node } from '@atoll/kube';
import { nodeSpecsOf, poolLabel, zoneLabel, type ClusterShape, type NodeSpec } from './node-spec.ts';

/** A node, with its pool and its zone. `ready`: its condition Ready is True. */
export interface NodeSummary {
  readonly name: string;
  readonly ready: boolean;
  readonly pool: string | undefined;
  readonly zone: string | undefined;
}

/** More requests would only queue in the API server's priority levels. */
export const requestsAtOnce = 8;

/** A node with this annotation reports Ready=False; see stages/node.yaml. */
const reportAnnotation = 'testbed.atoll.dev/report';

/** Registers nodes as their kubelets would; kwok then makes them Ready. Yields their names. */
export async function addNodes(client: Client, shape: ClusterShape): Promise<string[]> {
  const taken = new Set((await listNodes(client)).map((node) => node.name));
  const specs = nodeSpecsOf(shape, taken);
  await inParallel(specs, requestsAtOnce, async (spec) => {
    await client.create(nodes, nodeOf(spec));
  });
  return specs.map((spec) => spec.name);
}

export async function removeNodes(client: Client, names: readonly string[]): Promise<void> {
  await inParallel(names, requestsAtOnce, async (name) => {
    await client.delete(nodes, { name });
  });
}

export async function labelNodes(
  client: Client,
  names: readonly string[],
  labels: Readonly<Record<string, string | null>>,
): Promise<void> {
  await patchNodes(client, names, { metadata: { labels } });
}

export async function reportNodes(
  client: Client,
  names: readonly string[],
  state: 'Ready' | 'NotReady',
): Promise<void> {
  const value = state === 'Ready' ? null : state;
  await patchNodes(client, names, { metadata: { annotations: { [reportAnnotation]: value } } });
}

export async function listNodes(client: Client): Promise<NodeSummary[]> {
  const { items } = await client.list(nodes);
  return items.map((node) => ({
    name: node.metadata.name,
    ready: isReady(node),
    pool: node.metadata.labels?.[poolLabel],
    zone: node.metadata.labels?.[zoneLabel],
  }));
}

/** All nodes, or those of these names. */
export async function awaitReadyNodes(
  client: Client,
  timeoutMs: number,
  names?: ReadonlySet<string>,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const waited = (await listNodes(client)).filter((node) => names?.has(node.name) ?? true);
    const missing = waited.filter((node) => !node.ready).map((node) => node.name);
    if (missing.length === 0) return;
    if (Date.now() > deadline) {
      const some = missing.slice(0, 5).join(', ');
      throw new Error(`${missing.length} nodes are not Ready after ${timeoutMs / 1000} s: ${some}`);
    }
    await delay(100);
  }
}

function nodeOf({ name, labels, taints, size }: NodeSpec): Node {
  const capacity = { ...size };
  return { metadata: { name, labels }, spec: { taints }, status: { capacity, allocatable: capacity } };
}

async function patchNodes(client: Client, names: readonly string[], body: object): Promise<void> {
  await inParallel(names, requestsAtOnce, async (name) => {
    await client.patch(nodes, { name }, { type: 'merge', body });
  });
}
