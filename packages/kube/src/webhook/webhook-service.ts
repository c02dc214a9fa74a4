import { serveCertified } from '../certificates/serve-certified.ts';
import type { CertificateSource } from '../certificates/serving-certificate.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Part } from '../manager/manager.ts';
import type { AdmissionServer } from './admission-server.ts';

/** Where the API server finds the webhooks now, and what it has to trust. */
export interface WebhookStanding {
  readonly port: number;
  /** PEM; undefined: the API server gets it elsewhere. */
  readonly trustBundle: string | undefined;
}

/** Gets where the webhooks are found, each time that it changes. */
export type StandingListener = (standing: WebhookStanding) => void;

/** A server and its certificates, as a part of a manager: serves from the beginning to the end, leader or not. */
export class WebhookService implements Part {
  readonly name = 'webhooks';
  readonly #server: AdmissionServer;
  readonly #certificates: CertificateSource;
  readonly #logger: Logger;
  readonly #listeners = new Set<StandingListener>();
  #standing: WebhookStanding | undefined;

  constructor(server: AdmissionServer, certificates: CertificateSource, logger: Logger) {
    this.#server = server;
    this.#certificates = certificates;
    this.#logger = logger;
  }

  /** undefined until requests can be answered. */
  get standing(): WebhookStanding | undefined {
    return this.#standing;
  }

  /** Gets the standing, now where there is one, and each that follows. Returns how to stop. */
  subscribe(listener: StandingListener): () => void {
    this.#listeners.add(listener);
    if (this.#standing !== undefined) listener(this.#standing);
    return () => void this.#listeners.delete(listener);
  }

  /** Rejects where the address cannot be used. What is wrong with certificates is logged and tried again. */
  async run(signal: AbortSignal): Promise<void> {
    await serveCertified(this.#server, this.#certificates, this.#logger, signal, (certificate, port) => {
      const first = this.#standing === undefined;
      this.#logger.info({ port }, first ? 'serving webhooks' : 'serving webhooks with another certificate');
      this.#standing = { port, trustBundle: certificate.trustBundle };
      for (const listener of this.#listeners) listener(this.#standing);
    });
  }
}
