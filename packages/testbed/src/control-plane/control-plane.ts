import type { ClusterShape } from '../fleet/node-spec.ts';
import type { NodeSummary } from '../fleet/nodes.ts';
import type { Component } from './component.ts';

/** A ServiceAccount; it need not be there. */
export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

/** A program that works on the cluster, run beside the control plane's own. */
export interface GuestProgram {
  /** Unique in the control plane; names its log file. */
  readonly name: string;
  /** The executable. */
  readonly file: string;
  readonly args: readonly string[];
  /** Beside that of the control plane. */
  readonly env?: Readonly<Record<string, string>>;
  /** Tells whether it is ready; a rejection counts as not yet. Default: at once. */
  readonly ready?: () => Promise<boolean>;
  /** When it ends by itself, as a pod on its node; not where it does so twice within a minute. Default: it stays ended. */
  readonly startsAgain?: boolean;
}

/** A running control plane. `await using` ends it with the block. */
export interface ControlPlane extends AsyncDisposable {
  readonly url: string;
  readonly directory: string;
  readonly caFile: string;
  /** PEM. */
  readonly caData: string;
  /** The administrator's kubeconfig file. */
  readonly kubeconfig: string;
  /** Undefined unless the control plane was started with `audit`. */
  readonly auditLog: string | undefined;
  readonly components: readonly Component[];
  /** Throws where this control plane has no such component. A failure domain's is `kwok-<domain>`. */
  component(name: string): Component;
  /**
   * Runs a program of the caller's, for example an operator, until it ends or the control plane does: it is stopped before
   * everything else and never outlives the control plane. Resolves when it is ready; a name whose program ended may be used again.
   */
  runProgram(program: GuestProgram): Promise<Component>;
  /**
   * Writes a kubeconfig with a token of this ServiceAccount (TokenRequest, a day) and yields the file. Creates what is absent. `node`: the
   * token is bound to it, as those of pods are that run there.
   */
  kubeconfigFor(account: ServiceAccountName, bound?: { readonly node: string }): Promise<string>;
  /** Yields the names; nodes that exist already are left alone and other names taken. Does not wait until they are Ready. */
  addNodes(shape: ClusterShape): Promise<readonly string[]>;
  /** As when machines are taken away: their pods are collected by the garbage collector. */
  removeNodes(names: readonly string[]): Promise<void>;
  /** `null` removes a label. */
  labelNodes(names: readonly string[], labels: Readonly<Record<string, string | null>>): Promise<void>;
  /** Makes the nodes' kubelets report Ready=False, and Ready=True again. */
  reportNodes(names: readonly string[], state: 'Ready' | 'NotReady'): Promise<void>;
  nodes(): Promise<readonly NodeSummary[]>;
  /** Resolves when every node is Ready; rejects after `timeoutMs` (default 60,000) with the names of those that are not. */
  nodesReady(timeoutMs?: number): Promise<void>;
  /** Cuts a failure domain off: no lease, no status, no pod started or ended on its nodes. */
  cutDomain(domain: string): Promise<void>;
  restoreDomain(domain: string): Promise<void>;
  /** Resolves when the control plane is over, no matter who ended it. */
  readonly ended: Promise<void>;
  /** Ends every process and removes the directory. Can be called again. */
  stop(): Promise<void>;
}
