import type { Rest } from '../api/rest.ts';
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
import type { Component, SupervisedComponent } from './component.ts';
import type { ControlPlane, ServiceAccountName } from './control-plane.ts';
import type { PlaneFiles } from './plane-files.ts';
import { kwokNameOf } from './start-components.ts';

export interface RunningPlaneParts {
  readonly url: string;
  readonly kubeconfig: string;
  readonly audited: boolean;
  readonly files: PlaneFiles;
  readonly rest: Rest;
  readonly components: ReadonlyMap<string, SupervisedComponent>;
  readonly stop: () => Promise<void>;
}

export class RunningPlane implements ControlPlane {
  readonly url: string;
  readonly kubeconfig: string;
  readonly auditLog: string | undefined;
  readonly #files: PlaneFiles;
  readonly #rest: Rest;
  readonly #components: ReadonlyMap<string, SupervisedComponent>;
  readonly #stop: () => Promise<void>;

  constructor(parts: RunningPlaneParts) {
    this.url = parts.url;
    this.kubeconfig = parts.kubeconfig;
    this.auditLog = parts.audited ? parts.files.path('audit.log') : undefined;
    this.#files = parts.files;
    this.#rest = parts.rest;
    this.#components = parts.components;
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

  async kubeconfigFor({ namespace, name }: ServiceAccountName): Promise<string> {
    await this.#createIfAbsent('/api/v1/namespaces', namespace);
    await this.#createIfAbsent(`/api/v1/namespaces/${namespace}/serviceaccounts`, name);
    const answer = await this.#rest.json<{ status: { token: string } }>(
      'POST',
      `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
      { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 86_400 } },
    );
    const user = { name, namespace, token: answer.status.token };
    return this.#files.writeKubeconfig(`${namespace}.${name}.kubeconfig`, this.url, user);
  }

  async addNodes(shape: ClusterShape): Promise<readonly string[]> {
    return addNodes(this.#rest, shape);
  }

  async removeNodes(names: readonly string[]): Promise<void> {
    await removeNodes(this.#rest, names);
  }

  async labelNodes(names: readonly string[], labels: Readonly<Record<string, string | null>>): Promise<void> {
    await labelNodes(this.#rest, names, labels);
  }

  async reportNodes(names: readonly string[], state: 'Ready' | 'NotReady'): Promise<void> {
    await reportNodes(this.#rest, names, state);
  }

  async nodes(): Promise<readonly NodeSummary[]> {
    return listNodes(this.#rest);
  }

  async nodesReady(timeoutMs = 60_000): Promise<void> {
    await awaitReadyNodes(this.#rest, timeoutMs);
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

  async #createIfAbsent(collection: string, name: string): Promise<void> {
    const existing = await this.#rest.send('GET', `${collection}/${name}`);
    if (existing.status === 404) await this.#rest.json('POST', collection, { metadata: { name } });
  }
}
