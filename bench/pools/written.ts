import { setTimeout as delay } from 'node:timers/promises';
import { AuditLog, type AuditEntry } from '@atoll/testbed';

/** What the API server is to note: each write's metadata, and no reads, so that the noting costs little. */
export const auditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    { level: 'None', verbs: ['get', 'list', 'watch'] },
    {
      level: 'None',
      users: ['system:kube-controller-manager', 'system:kube-scheduler', 'system:apiserver'],
    },
    { level: 'None', resources: [{ group: '', resources: ['pods', 'pods/*', 'nodes/status', 'events'] }] },
    { level: 'Metadata' },
  ],
};

/** Writes of the operator that the API server accepted or refused, as its audit log counts them. */
export interface Written {
  readonly creates: number;
  readonly applies: number;
  readonly deletes: number;
  readonly nodePatches: number;
  /** Of the pool workload's status. */
  readonly workloadStatus: number;
  readonly poolStatus: number;
  readonly events: number;
  /** Of all, those that the API server refused. */
  readonly refused: number;
  /** Without events and the leader's lease. */
  readonly total: number;
}

/** Follows the audit log and answers what the operator wrote since some moment. */
export class WriteLog {
  readonly #log: AuditLog;

  constructor(path: string) {
    this.#log = new AuditLog(path);
  }

  async now(): Promise<number> {
    await this.#log.readOn();
    return this.#log.entries.length;
  }

  /** The operator's writes since `mark`, the renewals of its lease left out. */
  async since(mark: number): Promise<readonly AuditEntry[]> {
    await this.#log.readOn();
    return this.#log.entries.slice(mark).filter(isOperators);
  }

  async all(mark: number): Promise<readonly AuditEntry[]> {
    await this.#log.readOn();
    return this.#log.entries.slice(mark);
  }

  /** Resolves when the operator has written nothing for so long. */
  async silence(quietMs: number, timeoutMs: number): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    let [mark, quietSince] = [await this.now(), Date.now()];
    while (Date.now() - quietSince < quietMs) {
      if (Date.now() > deadline) throw new Error(`the operator still writes after ${timeoutMs / 1000} s`);
      await delay(100);
      const fresh = await this.since(mark);
      if (fresh.length === 0) continue;
      [mark, quietSince] = [await this.now(), Date.now()];
    }
  }

  async close(): Promise<void> {
    await this.#log.close();
  }
}

export function countWrites(entries: readonly AuditEntry[]): Written {
  const count = (is: (entry: AuditEntry) => boolean): number => entries.filter(is).length;
  const isChild = (entry: AuditEntry): boolean => entry.resource === 'deployments.apps';
  const isEvent = ({ resource }: AuditEntry): boolean => resource === 'events.events.k8s.io';
  return {
    creates: count((entry) => isChild(entry) && entry.code === 201),
    applies: count((entry) => isChild(entry) && entry.verb === 'patch' && entry.code === 200),
    deletes: count((entry) => isChild(entry) && entry.verb === 'delete'),
    nodePatches: count(({ resource, verb }) => resource === 'nodes' && verb === 'patch'),
    workloadStatus: count(isStatusOf('yurtappdaemons')),
    poolStatus: count(isStatusOf('nodepools')),
    events: count(isEvent),
    refused: count(({ code }) => code >= 400),
    total: count((entry) => !isEvent(entry)),
  };
}

/** The most status writes of one pool that fell into any one second. */
export function mostPerPoolAndSecond(entries: readonly AuditEntry[]): number {
  const times = new Map<string, number[]>();
  for (const entry of entries.filter(isStatusOf('nodepools'))) {
    const name = entry.name ?? '';
    times.set(name, [...(times.get(name) ?? []), entry.receivedAt]);
  }
  let most = 0;
  for (const unsorted of times.values()) {
    const sorted = unsorted.toSorted((a, b) => a - b);
    for (const start of sorted) {
      most = Math.max(most, sorted.filter((time) => time >= start && time < start + 1000).length);
    }
  }
  return most;
}

function isStatusOf(plural: string): (entry: AuditEntry) => boolean {
  return ({ resource, subresource }) => resource.startsWith(`${plural}.`) && subresource === 'status';
}

function isOperators({ userAgent, resource }: AuditEntry): boolean {
  return userAgent.startsWith('atoll-operator/') && !resource.startsWith('leases');
}
