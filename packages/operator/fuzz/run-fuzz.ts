import { createClient, loadKubeconfig } from '@atoll/kube';
import { install } from '@atoll/operator/install';
import { startControlPlane } from '@atoll/testbed';
import type { FuzzOptions } from './fuzz-options.ts';
import type { FuzzBatch } from './fuzz-report.ts';
import { runBatch } from './run-batch.ts';
import { poolNames, startWorld, zones } from './start-world.ts';

/** Batch after batch until all objects were sent, or a batch broke a rule. `onBatch` is given each. */
export async function runFuzz(
  options: FuzzOptions,
  onBatch: (batch: FuzzBatch) => void = () => undefined,
): Promise<readonly FuzzBatch[]> {
  const controlPlane = await startControlPlane({
    fleet: { pools: poolNames, nodes: 4, zones, size: { cpu: '64', memory: '512Gi', pods: '1000' } },
    audit: true,
    prepare: install,
  });
  const client = createClient(await loadKubeconfig({ path: controlPlane.kubeconfig }), { userAgent: 'fuzz' });
  try {
    const world = await startWorld(options, controlPlane, client);
    const batches: FuzzBatch[] = [];
    for (let sent = 0; sent < options.objects; sent += options.atOnce) {
      const batch = await runBatch(
        batches.length + 1,
        Math.min(options.atOnce, options.objects - sent),
        options,
        world,
      );
      batches.push(batch);
      onBatch(batch);
      if (batch.wrong.length > 0) break;
    }
    return batches;
  } finally {
    await client.close();
    await controlPlane.stop();
  }
}
