import type { Rest } from '../api/rest.ts';
import type { NodeSpec } from './node-spec.ts';

/** Registers the nodes, as their kubelets would; kwok makes them Ready. Yields their names. */
export async function createNodes(rest: Rest, specs: readonly NodeSpec[]): Promise<string[]> {
  await inParallel(specs, async (spec) => {
    await rest.json('POST', '/api/v1/nodes', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: spec.name, labels: spec.labels },
      spec: { taints: spec.taints },
      status: { capacity: spec.size, allocatable: spec.size },
    });
  });
  return specs.map((spec) => spec.name);
}

export async function deleteNodes(rest: Rest, names: readonly string[]): Promise<void> {
  await inParallel(names, async (name) => {
    await rest.json('DELETE', `/api/v1/nodes/${name}`);
  });
}

export async function labelNode(
  rest: Rest,
  name: string,
  labels: Readonly<Record<string, string | null>>,
): Promise<void> {
  await rest.json('PATCH', `/api/v1/nodes/${name}`, { metadata: { labels } }, 'application/merge-patch+json');
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (const item of queue) await work(item);
    }),
  );
}
