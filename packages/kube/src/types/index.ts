// Generated from the OpenAPI document of Kubernetes v1.36.3 by scripts/generate-types.ts. Do not edit.

export type * from './admissionregistration-v1.ts';
export type * from './apiextensions-v1.ts';
export type * from './apps-v1.ts';
export type * from './authentication-v1.ts';
export type * from './authorization-v1.ts';
export type * from './autoscaling-v2.ts';
export type * from './batch-v1.ts';
export type * from './coordination-v1.ts';
export type * from './core-v1.ts';
export type * from './events-v1.ts';
export type * from './meta-v1.ts';
export type * from './policy-v1.ts';
export type * from './rbac-v1.ts';
export type * from './scheduling-v1.ts';
