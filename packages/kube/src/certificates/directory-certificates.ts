import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep, type Clock } from '../clock/clock.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { CertificateSource, ServingCertificate } from './serving-certificate.ts';

/** Where {@link DirectoryCertificates} reads. */
export interface DirectoryCertificatesOptions {
  /** Holds `tls.crt` and `tls.key`, as a mounted `kubernetes.io/tls` Secret does. */
  readonly directory: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How often the files are read, in milliseconds. Default 10 seconds. */
  readonly pollMs?: number;
}

/** A certificate that somebody else makes and renews, cert-manager for example, as files. */
export class DirectoryCertificates implements CertificateSource {
  readonly #options: DirectoryCertificatesOptions;

  constructor(options: DirectoryCertificatesOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal, use: (certificate: ServingCertificate) => void): Promise<void> {
    const { directory, clock, logger, pollMs = 10_000 } = this.#options;
    let used = '';
    let reported = '';
    while (!signal.aborted) {
      try {
        const current = await this.#read();
        const text = current.certificatePem + current.keyPem;
        if (text !== used) use(current);
        used = text;
        reported = '';
      } catch (error) {
        // A mount is replaced file by file for a moment, so one failure is normal; a lasting one is logged once.
        const problem = error instanceof Error ? error.message : String(error);
        if (problem !== reported) logger.warn({ directory, err: error }, 'certificate files cannot be used');
        reported = problem;
      }
      await sleep(clock, pollMs, signal);
    }
  }

  async #read(): Promise<ServingCertificate> {
    const { directory } = this.#options;
    const [certificatePem = '', keyPem = ''] = await Promise.all(
      ['tls.crt', 'tls.key'].map(async (name) => readFile(join(directory, name), 'utf8')),
    );
    if (!new X509Certificate(certificatePem).checkPrivateKey(createPrivateKey(keyPem))) {
      throw new Error(`the key in ${join(directory, 'tls.key')} is not that of the certificate beside it`);
    }
    return { certificatePem, keyPem, trustBundle: undefined };
  }
}
