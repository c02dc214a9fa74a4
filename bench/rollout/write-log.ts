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

  /** Everybody's. */
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

/** Not so the renewal of its lease. */
export function isOperators({ userAgent, resource }: AuditEntry): boolean {
  return userAgent.startsWith('atoll-operator/') && !resource.startsWith('leases');
}
