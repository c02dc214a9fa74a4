import { readFileSync, statSync } from 'node:fs';
import type { SecureContextOptions } from 'node:tls';

export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** Authority of the certificates of callers; undefined: they need none. */
  readonly clientCaFile: string | undefined;
}

/** What a server presents and trusts. Throws where a file cannot be read. */
export function readTlsFiles({ certFile, keyFile, clientCaFile }: TlsFiles): SecureContextOptions {
  return {
    cert: readFileSync(certFile),
    key: readFileSync(keyFile),
    ...(clientCaFile === undefined ? {} : { ca: readFileSync(clientCaFile) }),
  };
}

/** Differs when one of the files was replaced. */
export function versionOfFiles({ certFile, keyFile, clientCaFile }: TlsFiles): string {
  return [certFile, keyFile, clientCaFile]
    .filter((file) => file !== undefined)
    .map((file) => {
      const { mtimeMs, ino, size } = statSync(file);
      return `${mtimeMs} ${ino} ${size}`;
    })
    .join(', ');
}
