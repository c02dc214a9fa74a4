import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Spec files that take longest, in the order in which they begin, so that none of them is left over at the end while the
 * other workers have nothing to do. Those that compute stand between those that wait.
 */
export const longest: readonly string[] = [
  'start/integration/documents.spec.ts',
  'packages/operator/integration/causes.spec.ts',
  'packages/operator/explore/pool-workload.spec.ts',
  'packages/operator/integration/faults/cut.spec.ts',
  'packages/operator/integration/pools.spec.ts',
  'packages/operator/explore/united-deployment.spec.ts',
  'start/integration/attached.spec.ts',
  'packages/operator/integration/admission/pool-workloads.spec.ts',
  'packages/operator/explore/extended-daemon-set.spec.ts',
  'start/integration/embedded.spec.ts',
  'packages/operator/integration/faults/failover-old-caches.spec.ts',
  'packages/testbed/integration/life-and-death.spec.ts',
  'packages/operator/explore/node-pool.spec.ts',
  'packages/operator/integration/take-over/taking-out.spec.ts',
  'packages/operator/integration/united-deployment.spec.ts',
  'packages/operator/integration/kinds.spec.ts',
  'packages/operator/explore/united-deployment-children.spec.ts',
  'packages/operator/integration/upgrade/upgrade.spec.ts',
  'packages/operator/integration/faults/chaos.spec.ts',
  'packages/operator/integration/faults/failover.spec.ts',
  'packages/operator/integration/faults/refused-writes.spec.ts',
  'packages/operator/integration/faults/kill.spec.ts',
  'packages/operator/explore/engine.spec.ts',
  'packages/operator/integration/extended-daemon-set/rolling-update.spec.ts',
  'packages/operator/integration/faults/slow-webhook.spec.ts',
  'packages/operator/integration/worked-example.spec.ts',
  'packages/operator/explore/united-deployment-neighbours.spec.ts',
  'packages/operator/integration/namespaces.spec.ts',
  'packages/operator/integration/extended-daemon-set/canary.spec.ts',
  'packages/kube/integration/reflector.spec.ts',
  'packages/operator/integration/daemon-set-upgrade.spec.ts',
  'packages/operator/explore/held-places.spec.ts',
  'packages/operator/integration/membership.spec.ts',
  'packages/operator/integration/faults/fuzz.spec.ts',
  'packages/operator/integration/faults/united-deployment-kill.spec.ts',
  'packages/agent/integration/offline.spec.ts',
  'packages/operator/explore/daemon-set.spec.ts',
  'packages/operator/integration/start.spec.ts',
  'packages/operator/integration/extended-daemon-set/take-over.spec.ts',
  'packages/cli/integration/real-controller.spec.ts',
  'packages/operator/integration/extended-daemon-set/samples.spec.ts',
  'packages/cli/integration/kubectl-eds.spec.ts',
  'packages/operator/integration/take-over/going-back.spec.ts',
  'packages/agent/integration/http-table.spec.ts',
  'packages/kube/integration/restored-store.spec.ts',
  'packages/operator/integration/take-over/taking-over.spec.ts',
  'packages/operator/integration/faults/one-namespace.spec.ts',
  'packages/operator/integration/upstream.spec.ts',
  'packages/operator/explore/stories.spec.ts',
  'packages/operator/explore/extended-daemon-set-migration.spec.ts',
  'packages/operator/integration/odd-workloads.spec.ts',
];

/** Where a file stands in {@link longest}; all others come after those, in the test runner's own order. */
export function rank(file: string): number {
  const index = longest.indexOf(file);
  return index < 0 ? longest.length : index;
}

/** Runs the files of all projects as one queue, those of {@link longest} first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rest = await super.sort(files);
    const rankOf = ({ moduleId }: TestSpecification): number =>
      rank(relative(this.ctx.config.root, moduleId));
    return rest.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}
