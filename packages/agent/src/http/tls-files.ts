import { statSync } from 'node:fs';
import type { SecureContextOptions } from 'node:tls';
import type { Logger } from '@atoll/kube';
import { readAuthorities, readPair, type WarnOfUnreadable } from '../flag-files.ts';

export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** Authority of the certificates of callers; undefined: they need none. */
  readonly clientCaFile: string | undefined;
}

/** What a server presents and trusts. Throws where a file cannot be used, with its flag and the cause. */
export function readTlsFiles(
  { certFile, keyFile, clientCaFile }: TlsFiles,
  logger: Logger,
): SecureContextOptions {
  const warn: WarnOfUnreadable = ({ flag, file }, unreadable) =>
    logger.warn({ what: flag, from: file, unreadable }, 'certificates that cannot be read are passed over');
  return {
    ...readPair(
      { flag: '--tls-cert-file', file: certFile },
      { flag: '--tls-private-key-file', file: keyFile },
    ),
    ...(clientCaFile === undefined
      ? {}
      : readAuthorities({ flag: '--client-ca-file', file: clientCaFile }, warn)),
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
