import { yurtAppDaemons, type NodePool, type PoolWorkload } from '@atoll/api';
import { controllerRevisions, deployments, type Deployment } from '@atoll/kube';
import type { FreshWorld } from './fresh-world.ts';
import { bj, hz, podSpec, rollOut, web, webKey, workedExample } from './worked-example.ts';
import {
  oldChild,
  oldRevision,
  type OldChild,
} from '../../src/pool-workload/take-over/old-operator.fixture.ts';

/** The newest revision of the worked example, as an old operator names it. */
export const revision = 'web-5d4f8c';

/** The worked example as an old operator leaves it. */
export function left(
  shape: Partial<OldChild>,
  managedFields?: Deployment['metadata']['managedFields'],
  pods: Readonly<Record<string, unknown>> = podSpec,
  pools: readonly NodePool[] = [hz, bj],
) {
  const { world, controller } = workedExample(withPods(pods), pools);
  const owner = world.get(yurtAppDaemons, webKey);
  if (shape.revision === 'web-first') {
    const { workloadTemplate } = withPods({ ...podSpec, containers: [] }).spec;
    world.put(controllerRevisions, oldRevision(owner, 'web-first', 1, workloadTemplate));
  }
  world.put(controllerRevisions, oldRevision(owner, revision, 2));
  for (const pool of pools) {
    const child = oldChild({ owner, pool, suffix: 'x7k2p', revision, ...shape });
    const metadata = { ...child.metadata, ...(managedFields === undefined ? {} : { managedFields }) };
    world.put(deployments, { ...child, metadata });
  }
  rollOut(world);
  return { world, controller };
}

/** The worked example with other pods. */
export function withPods(pods: Readonly<Record<string, unknown>>): PoolWorkload {
  const labelled = { labels: { app: 'web' } };
  const spec = { replicas: 2, template: { metadata: labelled, spec: pods } };
  return {
    ...web,
    spec: { ...web.spec, workloadTemplate: { deploymentTemplate: { metadata: labelled, spec } } },
  };
}

export function templates(world: FreshWorld): unknown {
  return world.list(deployments).map(({ metadata, spec }) => [metadata.name, spec?.template]);
}

export function readyOf(world: FreshWorld) {
  return world.get(yurtAppDaemons, webKey).status?.conditions?.find(({ type }) => type === 'Ready');
}
