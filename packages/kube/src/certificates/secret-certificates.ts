import { X509Certificate } from 'node:crypto';
import { isApiError } from '../client/api-error.ts';
import type { Client } from '../client/client.ts';
import { createByApply } from '../client/create-by-apply.ts';
import { sleep, type Clock } from '../clock/clock.ts';
import type { Logger } from '../telemetry/logger.ts';
import { formatKey, type ObjectKey, type Stored } from '../objects/object.ts';
import { secrets } from '../objects/resources.ts';
import type { Secret } from '../types/index.ts';
import {
  changeCertificates,
  decideCertificates,
  trustBundle,
  type Certificates,
  type CertificateNeeds,
} from './certificate-life.ts';
import { fromSecretData, toSecretData } from './certificate-secret.ts';
import type { CertificateSource, ServingCertificate } from './serving-certificate.ts';

/** What {@link SecretCertificates} is made of. */
export interface SecretCertificatesOptions {
  /** Needs `get`, `create` and `patch` on this one Secret. */
  readonly client: Pick<Client, 'get' | 'apply'>;
  readonly secret: ObjectKey & { readonly namespace: string };
  readonly needs: CertificateNeeds;
  readonly fieldManager: string;
  /** Labels of the Secret. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How often to look whether another replica has changed the Secret, in milliseconds. Default a minute. */
  readonly pollMs?: number;
}

function isServable({ serving }: Certificates, now: number): boolean {
  const { validFrom, validTo } = new X509Certificate(serving.certificatePem);
  return Date.parse(validFrom) <= now && now < Date.parse(validTo);
}

/** A life has fewer changes at one moment; more mean that something is wrong. */
const maxChanges = 8;
const maxAttempts = 5;
const retryMs = 5_000;
/** What keeps being in the way is tried again far more often than it is logged. */
const logAgainMs = 60_000;

/** A change of the certificates, and why it was due. */
interface Made {
  readonly change: string;
  readonly why: string;
}

/**
 * An authority and a serving certificate of our own in a Secret, which all replicas share: the replica that finds something due
 * writes it under the Secret's resourceVersion, and who comes second reads what the first has written.
 */
export class SecretCertificates implements CertificateSource {
  readonly #options: SecretCertificatesOptions;
  /** What was in the way within the last minute, with the monotonic time of its line. */
  readonly #logged = new Map<string, number>();

  constructor(options: SecretCertificatesOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal, use: (certificate: ServingCertificate) => void): Promise<void> {
    const { clock, pollMs = 60_000 } = this.#options;
    let used = '';
    while (!signal.aborted) {
      let wait = retryMs;
      try {
        const { certificates, dueAt } = await this.#reconcile(signal);
        wait = Math.max(0, Math.min(pollMs, dueAt - clock.now()));
        const current = { ...certificates.serving, trustBundle: trustBundle(certificates) };
        const shown = current.certificatePem + current.trustBundle;
        if (shown !== used) use(current);
        used = shown;
      } catch (error) {
        if (!signal.aborted) this.#warn(error, 'no certificates yet');
      }
      await sleep(clock, wait, signal);
    }
  }

  /** Each cause at most once a minute: several may take turns, as while an API server goes down. */
  #warn(error: unknown, message: string): void {
    const { clock, logger, secret } = this.#options;
    const now = clock.monotonic();
    for (const [problem, at] of this.#logged) if (now - at >= logAgainMs) this.#logged.delete(problem);
    const problem = `${message}: ${error instanceof Error ? error.message : String(error)}`;
    if (this.#logged.has(problem)) return;
    this.#logged.set(problem, now);
    logger.warn({ err: error, secret: formatKey(secret) }, message);
  }

  /** Brings the Secret to what is due now. */
  async #reconcile(
    signal: AbortSignal,
  ): Promise<{ readonly certificates: Certificates; readonly dueAt: number }> {
    for (let attempt = 1; ; attempt += 1) {
      const stored = await this.#read(signal);
      const due = await this.#changed(fromSecretData(stored?.data));
      if (due.made.length === 0) return due;
      try {
        await this.#write(stored, due.certificates, signal);
        for (const made of due.made) this.#options.logger.info(made, 'certificates change');
        return due;
      } catch (error) {
        const another = isApiError(error, 'Conflict') || isApiError(error, 'AlreadyExists');
        if (another && attempt < maxAttempts) continue;
        const found = fromSecretData(stored?.data);
        const { clock } = this.#options;
        if (signal.aborted || found === undefined || !isServable(found, clock.now())) throw error;
        // What is there serves until it expires.
        this.#warn(error, 'certificates cannot be renewed');
        return { certificates: found, dueAt: clock.now() + retryMs };
      }
    }
  }

  async #changed(found: Certificates | undefined): Promise<{
    readonly certificates: Certificates;
    readonly made: readonly Made[];
    readonly dueAt: number;
  }> {
    const { clock, needs } = this.#options;
    const now = clock.now();
    let certificates = found;
    const made: Made[] = [];
    while (made.length < maxChanges) {
      const decision = decideCertificates(certificates, needs, now);
      if (decision.change === undefined && certificates !== undefined) {
        return { certificates, made, dueAt: decision.dueAt };
      }
      if (decision.change === undefined) break;
      made.push({ change: decision.change, why: decision.why });
      certificates = await changeCertificates(certificates, decision.change, needs, now);
    }
    throw new Error(`certificates are still not as they should be after ${maxChanges} changes`);
  }

  async #read(signal: AbortSignal): Promise<Stored<Secret> | undefined> {
    try {
      return await this.#options.client.get(secrets, this.#options.secret, { signal });
    } catch (error) {
      if (isApiError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async #write(
    stored: Stored<Secret> | undefined,
    certificates: Certificates,
    signal: AbortSignal,
  ): Promise<void> {
    const { client, secret, labels = {}, fieldManager } = this.#options;
    const data = toSecretData(certificates);
    const options = { fieldManager, force: true, signal };
    if (stored === undefined) {
      const object: Secret = { metadata: { ...secret, labels }, type: 'kubernetes.io/tls', data };
      await createByApply(client, secrets, object, options);
      return;
    }
    const { uid, resourceVersion } = stored.metadata;
    // The type is immutable: a Secret that somebody made beforehand keeps its own.
    const { type = 'Opaque' } = stored;
    const object: Secret = { metadata: { ...secret, labels, uid, resourceVersion }, type, data };
    await client.apply(secrets, object, options);
  }
}
