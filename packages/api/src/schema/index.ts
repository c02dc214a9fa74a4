/** Schemas and CRDs. Loads zod: for the installer, the webhook, the generator and tests, not for controllers. */
export * from './condition.ts';
export * from './custom-resource-definition.ts';
export { extendedDaemonSetKinds } from './extended-daemon-set/index.ts';
export * from './kinds.ts';
export * from './labels.ts';
export * from './markers.ts';
export { nodePoolKind } from './node-pool.ts';
export * from './to-structural.ts';
export { unitedDaemonSetKind } from './united-daemon-set.ts';
export { unitedDeploymentKind } from './united-deployment.ts';
export { yurtAppDaemonKind } from './yurt-app-daemon.ts';
