/** Certificates are made here. Apart from the main entry, because it loads an ASN.1 library. */
export { createCertificateAuthority, issueCertificate } from './certificate.ts';
export type { CertificateAuthority, KeyAndCertificate, LeafRequest } from './certificate.ts';
export type { Validity } from './validity.ts';
