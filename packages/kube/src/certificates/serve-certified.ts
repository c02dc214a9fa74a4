import type { Logger } from '../telemetry/logger.ts';
import type { KeyAndCertificate } from './certificate.ts';
import type { CertificateSource, ServingCertificate } from './serving-certificate.ts';

/** A server that needs a certificate before it can answer. */
export interface CertifiedServer {
  listen(): Promise<number>;
  useCertificate(certificate: KeyAndCertificate): void;
  close(): Promise<void>;
}

/**
 * Serves with each certificate of the source until the signal ends. `served` gets each that is used, with the port. Rejects where the
 * address cannot be used. What is wrong with certificates is logged, and the one before stays.
 */
export async function serveCertified(
  server: CertifiedServer,
  certificates: CertificateSource,
  logger: Logger,
  signal: AbortSignal,
  served: (certificate: ServingCertificate, port: number) => void,
): Promise<void> {
  const port = await server.listen();
  try {
    await certificates.run(signal, (certificate) => {
      try {
        server.useCertificate(certificate);
      } catch (error) {
        logger.error({ err: error }, 'the certificate cannot be served');
        return;
      }
      served(certificate, port);
    });
  } finally {
    await server.close();
  }
}
