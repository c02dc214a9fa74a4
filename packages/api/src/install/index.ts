/** What Atoll needs in a cluster. Loads zod: for `npm start`, the command line and the generator. */
export * from './deletion-protection.ts';
export * from './install.ts';
export type { InstallObject } from './install-object.ts';
export * from './install-objects.ts';
export * from './kruise-policy.ts';
export * from './limited-rbac.ts';
export * from './node-agent.ts';
export * from './node-agent-policy.ts';
export * from './policies.ts';
export * from './rbac.ts';
export * from './webhook-service.ts';
