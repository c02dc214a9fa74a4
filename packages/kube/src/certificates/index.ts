/** Certificates are made and renewed here. Apart from the main entry, because it loads an ASN.1 library. */
export * from './certificate-life.ts';
export * from './certificate-secret.ts';
export * from './certificate.ts';
export * from './directory-certificates.ts';
export * from './secret-certificates.ts';
export * from './serving-certificate.ts';
