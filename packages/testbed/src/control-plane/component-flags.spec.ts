import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { controllerManagerFlags } from './component-flags.ts';
import { ControlPlaneFiles } from './control-plane-files.ts';
import { flagArguments } from './flags.ts';

it('the controller manager elects no leader, so that it does not end on a machine that is too busy to renew a Lease', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'atoll-flags-'));
  const files = await ControlPlaneFiles.create(folder.path);
  const ports = { etcdClient: 1, etcdPeer: 2, apiServer: 3, controllerManager: 4, scheduler: 5 };
  const flags = flagArguments(controllerManagerFlags(files, ports, 'kubeconfig', 250));
  expect(flags).toContain('--leader-elect=false');
});
