import type { StreamingClient } from '@atoll/kube';
import type { ClusterShape } from '../fleet/node-spec.ts';
import {
  addNodes,
  awaitReadyNodes,
  labelNodes,
  listNodes,
  removeNodes,
  reportNodes,
  type NodeSummary,
} from '../fleet/nodes.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import { SupervisedComponent, type Component } from './component.ts';
import type { ControlPlane, GuestProgram, ServiceAccountName } from './control-plane.ts';
import type { ControlPlaneFiles } from './control-plane-files.ts';
import { accountToken } from './service-account.ts';
import { kwokNameOf } from './start-components.ts';

export interface RunningControlPlaneParts {
  readonly url: string;
  readonly kubeconfig: string;
  readonly audited: boolean;
  readonly files: ControlPlaneFiles;
  readonly client: StreamingClient;
  readonly components: Map<string, SupervisedComponent>;
  readonly supervisor: Supervisor;
  readonly ended: Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Above the control plane's own programs: what works on the cluster ends first. */
const guestLayer = 3;

export class RunningControlPlane implements ControlPlane {
  readonly url: string;
  readonly kubeconfig: string;
  readonly auditLog: string | undefined;
  readonly ended: Promise<void>;
  readonly #files: ControlPlaneFiles;
  readonly #client: StreamingClient;
  readonly #components: Map<string, SupervisedComponent>;
  readonly #supervisor: Supervisor;
  readonly #stop: () => Promise<void>;

  constructor(parts: RunningControlPlaneParts) {
    this.url = parts.url;
    this.kubeconfig = parts.kubeconfig;
    this.auditLog = parts.audited ? parts.files.path('audit.log') : undefined;
    this.ended = parts.ended;
    this.#files = parts.files;
    this.#client = parts.client;
    this.#components = parts.components;
    this.#supervisor = parts.supervisor;
    this.#stop = parts.stop;
  }

  get directory(): string {
    return this.#files.directory;
  }

  get caFile(): string {
    return this.#files.path('ca.crt');
  }

  get caData(): string {
    return this.#files.caPem;
  }

  get components(): readonly Component[] {
    return [...this.#components.values()];
  }

  component(name: string): Component {
    const found = this.#components.get(name);
    if (found !== undefined) return found;
    throw new Error(
      `this control plane has no component ${name}, only ${[...this.#components.keys()].join(', ')}`,
    );
  }

  async runProgram(program: GuestProgram): Promise<Component> {
    const { name, file, args, env = {}, ready = async () => Promise.resolve(true), startsAgain } = program;
    if (this.#components.get(name)?.pid !== undefined) throw new Error(`${name} runs already`);
    const spec = { name, file, args, env, layer: guestLayer, logFile: this.#files.path(`logs/${name}.log`) };
    const component = new SupervisedComponent(this.#supervisor, spec, ready, { startsAgain });
    this.#components.set(name, component);
    await component.start();
    return component;
  }

  async kubeconfigFor(account: ServiceAccountName, bound?: { readonly node: string }): Promise<string> {
    const { namespace, name } = account;
    const token = await accountToken(this.#client, account, bound?.node);
    const file = [namespace, name, ...(bound === undefined ? [] : [bound.node]), 'kubeconfig'].join('.');
    return this.#files.writeKubeconfig(file, this.url, {
      name,
      namespace,
      token,
    });
  }

  async addNodes(shape: ClusterShape): Promise<readonly string[]> {
    return addNodes(this.#client, shape);
  }

  async removeNodes(names: readonly string[]): Promise<void> {
    await removeNodes(this.#client, names);
  }

  async labelNodes(names: readonly string[], labels: Readonly<Record<string, string | null>>): Promise<void> {
    await labelNodes(this.#client, names, labels);
  }

  async reportNodes(names: readonly string[], state: 'Ready' | 'NotReady'): Promise<void> {
    await reportNodes(this.#client, names, state);
  }

  async nodes(): Promise<readonly NodeSummary[]> {
    return listNodes(this.#client);
  }

  async nodesReady(timeoutMs = 60_000): Promise<void> {
    await awaitReadyNodes(this.#client, timeoutMs);
  }

  async cutDomain(domain: string): Promise<void> {
    await this.component(kwokNameOf(domain)).pause();
  }

  async restoreDomain(domain: string): Promise<void> {
    await this.component(kwokNameOf(domain)).resume();
  }

  async stop(): Promise<void> {
    await this.#stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}
