import type { KindDefinition } from './custom-resource-definition.ts';
import { extendedDaemonSetKinds } from './extended-daemon-set/index.ts';
import { nodePoolKind } from './node-pool.ts';
import { unitedDaemonSetKind } from './united-daemon-set.ts';
import { unitedDeploymentKind } from './united-deployment.ts';
import { yurtAppDaemonKind } from './yurt-app-daemon.ts';

/** Every kind that Atoll serves, in the order in which they are installed. */
export const kinds: readonly KindDefinition[] = [
  nodePoolKind,
  unitedDaemonSetKind,
  yurtAppDaemonKind,
  unitedDeploymentKind,
  ...extendedDaemonSetKinds,
];
