export type { Fault } from './faults/fault.ts';
export type { FaultProxy, FaultProxyOptions } from './faults/fault-proxy.ts';
export type { Injection } from './faults/injection.ts';
export type { KeptRequests, LateAnswer } from './faults/kept-requests.ts';
export type { ProxiedRequest, Verb } from './faults/proxied-request.ts';
export type { RequestMatch } from './faults/request-match.ts';
export type { StaleStart } from './faults/stale-start.ts';
export { startFaultProxy } from './faults/start-fault-proxy.ts';
export type { StreamCut, StreamEnding } from './faults/stream-cut.ts';
export type { Traffic } from './faults/traffic.ts';
export type { WatchHold } from './faults/watch-hold.ts';
export type { HeldEvent } from './faults/watch-stream.ts';
export type { NodeSize, NodeSpec, Taint, ClusterShape } from './fleet/node-spec.ts';
export { nodeSpecsOf, poolLabel, zoneLabel } from './fleet/node-spec.ts';
export type { Component } from './plane/component.ts';
export type { ControlPlane, ServiceAccountName } from './plane/control-plane.ts';
export type {
  BinaryName,
  BinaryPaths,
  ControlPlaneOptions,
  Flags,
  OptionalComponent,
} from './plane/options.ts';
export { startControlPlane } from './plane/start-control-plane.ts';
