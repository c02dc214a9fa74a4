import type { KindDefinition } from './kind-definition.ts';
import { daemonSetUpgradeDefinition } from '../daemon-set/definition.ts';
import { extendedDaemonSetDefinition } from '../extended-daemon-set/definition.ts';
import { imagePrePullDefinition } from '../image-pre-pull/definition.ts';
import { nodePoolDefinition } from '../node-pool/definition.ts';
import { unitedDaemonSetDefinition, yurtAppDaemonDefinition } from '../pool-workload/definition.ts';
import { unitedDeploymentDefinition } from '../united-deployment/definition.ts';

/** Every kind of the operator, in the order in which `--help` names them. */
export const kindDefinitions: readonly KindDefinition[] = [
  nodePoolDefinition,
  unitedDaemonSetDefinition,
  yurtAppDaemonDefinition,
  unitedDeploymentDefinition,
  daemonSetUpgradeDefinition,
  imagePrePullDefinition,
  extendedDaemonSetDefinition,
];
