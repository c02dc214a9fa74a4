import type { KeyAndCertificate } from './certificate.ts';

/** What a server shows, and what its clients have to trust. */
export interface ServingCertificate extends KeyAndCertificate {
  /** PEM; undefined: the clients get it elsewhere. */
  readonly trustBundle: string | undefined;
}

/** Keeps a certificate for as long as it runs. */
export interface CertificateSource {
  /**
   * Runs until the signal ends and never rejects: what cannot be had now is tried again. `use` gets the first
   * certificate and each that differs from the one before.
   */
  run(signal: AbortSignal, use: (certificate: ServingCertificate) => void): Promise<void>;
}
