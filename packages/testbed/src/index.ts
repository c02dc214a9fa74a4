export type { NodeSize, NodeSpec, Taint, ClusterShape } from './fleet/node-spec.ts';
export { nodeSpecsOf, poolLabel, zoneLabel } from './fleet/node-spec.ts';
export type { Component } from './plane/component.ts';
export { startControlPlane, type ControlPlane, type ServiceAccountName } from './plane/control-plane.ts';
export type {
  BinaryName,
  BinaryPaths,
  ControlPlaneOptions,
  Flags,
  OptionalComponent,
} from './plane/options.ts';
