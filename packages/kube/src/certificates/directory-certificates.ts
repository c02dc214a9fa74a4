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
    let reported: string | undefined;
    while (!signal.aborted) {
      let problem: string | undefined;
      let message = 'certificate files cannot be used';
      try {
        const current = await this.#read();
        const text = current.certificatePem + current.keyPem;
        if (text !== used) use(current);
        used = text;
        // It is served all the same: a client names what it refuses, and nothing but the address of a server that is not there.
        problem = this.#outOfTime(current);
        message = 'clients refuse the certificate that is served';
      } catch (error) {
        // A mount is replaced file by file for a moment, so one failure is normal; a lasting one is logged once.
        problem = error instanceof Error ? error.message : String(error);
      }
      if (problem !== undefined && problem !== reported) logger.warn({ directory, problem }, message);
      reported = problem;
      await sleep(clock, pollMs, signal);
    }
  }

  async #read(): Promise<ServingCertificate> {
    const { directory } = this.#options;
    const files = { certificate: join(directory, 'tls.crt'), key: join(directory, 'tls.key') };
    // One after the other: of two that are missing, the same one is named each time.
    const certificatePem = await readFile(files.certificate, 'utf8');
    const keyPem = await readFile(files.key, 'utf8');
    const certificate = parsed(
      () => new X509Certificate(certificatePem),
      `${files.certificate} holds no certificate in PEM`,
    );
    const key = parsed(
      () => createPrivateKey(keyPem),
      `${files.key} holds no private key in PEM that can be read without a password`,
    );
    if (!certificate.checkPrivateKey(key)) {
      throw new Error(`the key in ${files.key} is not that of the certificate beside it`);
    }
    return { certificatePem, keyPem, trustBundle: undefined };
  }

  #outOfTime({ certificatePem }: ServingCertificate): string | undefined {
    const { clock, directory } = this.#options;
    const { validFrom, validTo } = new X509Certificate(certificatePem);
    const file = join(directory, 'tls.crt');
    const [from, to, now] = [Date.parse(validFrom), Date.parse(validTo), clock.now()];
    if (now >= to) return `the certificate in ${file} has expired at ${new Date(to).toISOString()}: renew it`;
    if (now < from)
      return `the certificate in ${file} is valid only from ${new Date(from).toISOString()}: look at the clocks`;
    return undefined;
  }
}

function parsed<T>(parse: () => T, otherwise: string): T {
  try {
    return parse();
  } catch (error) {
    throw new Error(otherwise, { cause: error });
  }
}
