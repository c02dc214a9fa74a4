import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Integration tests that take longest, in the order in which they begin, so that none of them is left over at the end while the other
 * workers have nothing to do.
 */
export const longest: readonly string[] = [
  'start/integration/documents.spec.ts',
  'packages/operator/integration/extended-daemon-set/attacked.spec.ts',
  'packages/operator/integration/causes.spec.ts',
  'packages/operator/integration/faults/cut.spec.ts',
  'start/integration/attached.spec.ts',
  'packages/operator/integration/admission/pool-workloads.spec.ts',
  'packages/operator/integration/take-over/taking-out.spec.ts',
  'packages/operator/integration/faults/failover-old-caches.spec.ts',
  'packages/operator/integration/extended-daemon-set/another-controller.spec.ts',
  'packages/operator/integration/pools/kinds.spec.ts',
  'packages/operator/integration/extended-daemon-set/canary.spec.ts',
  'packages/operator/integration/pools/pools.spec.ts',
  'packages/operator/integration/united-deployment/united-deployment.spec.ts',
  'packages/operator/integration/faults/failover.spec.ts',
  'packages/operator/integration/faults/chaos.spec.ts',
  'packages/operator/integration/security/metrics-over-https.spec.ts',
  'packages/operator/integration/faults/refused-writes.spec.ts',
  'packages/testbed/integration/life-and-death.spec.ts',
  'packages/operator/integration/extended-daemon-set/rolling-update.spec.ts',
  'packages/operator/integration/faults/slow-webhook.spec.ts',
  'packages/operator/integration/upgrade/upgrade.spec.ts',
  'packages/operator/integration/faults/fuzz.spec.ts',
  'packages/operator/integration/daemon-set/daemon-set-upgrade.spec.ts',
  'packages/kube/integration/reflector.spec.ts',
  'packages/operator/integration/pools/membership.spec.ts',
  'packages/operator/integration/security/namespaces.spec.ts',
  'packages/operator/integration/faults/kill.spec.ts',
  'start/integration/embedded.spec.ts',
  'packages/operator/integration/extended-daemon-set/samples.spec.ts',
  'packages/operator/integration/pools/worked-example.spec.ts',
  'packages/cli/integration/kubectl-eds.spec.ts',
  'packages/agent/integration/offline.spec.ts',
  'packages/operator/integration/faults/united-deployment-kill.spec.ts',
  'packages/operator/integration/extended-daemon-set/take-over.spec.ts',
  'packages/operator/integration/start.spec.ts',
  'packages/kube/integration/restored-store.spec.ts',
  'packages/cli/integration/real-controller.spec.ts',
  'scripts/integration/release.spec.ts',
  'packages/operator/integration/extended-daemon-set/kill.spec.ts',
  'packages/operator/integration/upstream/upstream.spec.ts',
  'scripts/integration/interrupted-commands.spec.ts',
  'packages/operator/integration/extended-daemon-set/misbehaving.spec.ts',
  'packages/operator/integration/faults/one-namespace.spec.ts',
  'packages/operator/integration/pools/odd-workloads.spec.ts',
  'packages/kube/integration/reflector-control-plane.spec.ts',
  'packages/operator/integration/faults/nodes-away.spec.ts',
  'scripts/integration/command-lines.spec.ts',
  'packages/testbed/integration/misbehaving-images.spec.ts',
  'packages/operator/integration/faults/foreign-webhooks.spec.ts',
];

/** Where a file stands in {@link longest}; all others come after those, in the test runner's own order. */
export function rank(file: string): number {
  const index = longest.indexOf(file);
  return index < 0 ? longest.length : index;
}

/** Runs the files of {@link longest} first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rest = await super.sort(files);
    const rankOf = ({ moduleId }: TestSpecification): number =>
      rank(relative(this.ctx.config.root, moduleId));
    return rest.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}
