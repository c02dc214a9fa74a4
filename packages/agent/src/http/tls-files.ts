import { readFileSync, statSync } from 'node:fs';
import type { SecureContextOptions } from 'node:tls';
import { describeFileFault, problemOfAuthorities, problemOfPair } from '@atoll/kube';

export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** Authority of the certificates of callers; undefined: they need none. */
  readonly clientCaFile: string | undefined;
}

/** What a server presents and trusts. Throws where a file cannot be used, with its flag and the cause. */
export function readTlsFiles({ certFile, keyFile, clientCaFile }: TlsFiles): SecureContextOptions {
  const cert = read('--tls-cert-file', certFile);
  const key = read('--tls-private-key-file', keyFile);
  refuse(`--tls-cert-file ${certFile}, --tls-private-key-file ${keyFile}`, problemOfPair(cert, key));
  if (clientCaFile === undefined) return { cert, key };
  const ca = read('--client-ca-file', clientCaFile);
  refuse(`--client-ca-file ${clientCaFile}`, problemOfAuthorities(ca));
  return { cert, key, ca };
}

function read(flag: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`${flag} ${file}: ${describeFileFault(error)}`, { cause: error });
  }
}

function refuse(given: string, problem: string | undefined): void {
  if (problem !== undefined) throw new Error(`${given}: ${problem}`);
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
