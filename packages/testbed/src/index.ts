export { obtainGoTool, type GoTool } from './binaries/go-tool.ts';
export { cacheRoot } from './binaries/cache-directory.ts';
export { kubernetesMinorOf, kubernetesMinors, kubernetesVersionOf } from './binaries/versions.ts';
export { obtainBinaries, type ObtainOptions } from './binaries/obtain-binaries.ts';
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
export { startForeignWebhook, type ForeignWebhookOptions } from './foreign-webhook.ts';
export type { NodeSize, Taint, ClusterShape } from './fleet/node-spec.ts';
export type { NodeSummary } from './fleet/nodes.ts';
export { poolLabel, zoneLabel } from './fleet/node-spec.ts';
export { auditPolicy } from './history/audit-policy.ts';
export { parseAuditLine, type AuditEntry, type Preconditions } from './history/audit-entry.ts';
export { AuditLog } from './history/audit-log.ts';
export { atMostOneLiveChild, type ChildRule } from './history/checks/at-most-one-live-child.ts';
export { deletesCarryUid } from './history/checks/deletes-carry-uid.ts';
export { noWastedWrites } from './history/checks/no-wasted-writes.ts';
export { silentSince, type SilenceRule } from './history/checks/silent-since.ts';
export { touchesOnlyOwn, type OwnershipRule } from './history/checks/touches-only-own.ts';
export { checkHistory, type Check, type Violation } from './history/checks/violation.ts';
export {
  concernsWrite,
  countWrites,
  type WriteCounts,
  type WriteFilter,
} from './history/checks/count-writes.ts';
export { formatHistory, type FormatOptions } from './history/format-history.ts';
export { writesOf } from './history/history.ts';
export type { Effect, History, HistoryEntry, Write, WriteResult } from './history/history.ts';
export type { Change } from './history/object-changes.ts';
export type { RecordedEvent, RecordingGap } from './history/recorded-event.ts';
export {
  startRecording,
  type Quiescence,
  type Recording,
  type RecordingOptions,
} from './history/recording.ts';
export {
  originalDefinition,
  originalFiles,
  originals,
  type OriginalProject,
} from './originals/definitions.ts';
export { cpuMsOf, openFilesOf, peakRssOf, rssOf } from './process-usage.ts';
export { contentsOf, restoreContents, type ClusterContents } from './control-plane/cluster-contents.ts';
export type { Component, ComponentExit } from './control-plane/component.ts';
export { freePorts } from './control-plane/free-port.ts';
export type { ControlPlane, GuestProgram, ServiceAccountName } from './control-plane/control-plane.ts';
export type {
  BinaryName,
  BinaryPaths,
  ControlPlaneOptions,
  Flags,
  OptionalComponent,
} from './control-plane/options.ts';
export { runOperator, type OperatorUnderTest, type RunningOperator } from './control-plane/run-operator.ts';
export { kubeconfigOf } from './control-plane/kubeconfig.ts';
export { savedStore } from './control-plane/saved-store.ts';
export { startControlPlane } from './control-plane/start-control-plane.ts';
