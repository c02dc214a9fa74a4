import type { NodePool, PoolWorkload } from '../src/index.ts';

/** JSON of an object that the types would not allow. */
export type Loose = Readonly<Record<string, unknown>>;

export function pool(name: string, spec: Loose = {}): NodePool {
  return { metadata: { name }, spec } as unknown as NodePool;
}

const labels = { app: 'web' };

export function deploymentTemplate(spec: Loose = {}): Loose {
  return {
    metadata: { labels },
    spec: {
      template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx:1.27' }] } },
      ...spec,
    },
  };
}

/** A valid workload with a Deployment template; `spec` replaces fields. */
export function workload(namespace: string, name: string, spec: Loose = {}): PoolWorkload {
  return {
    metadata: { namespace, name },
    spec: {
      selector: { matchLabels: labels },
      nodepoolSelector: {},
      workloadTemplate: { deploymentTemplate: deploymentTemplate() },
      ...spec,
    },
  } as unknown as PoolWorkload;
}

/** A valid workload with a StatefulSet template; `template` replaces fields of its spec. */
export function statefulWorkload(namespace: string, name: string, template: Loose = {}): PoolWorkload {
  return workload(namespace, name, {
    workloadTemplate: { statefulSetTemplate: deploymentTemplate(template) },
  });
}
