import {
  describeFileFault,
  problemOfAuthorities,
  problemOfPair,
  readableAuthorities,
  unreadableAuthorities,
} from '@atoll/kube';
import { text } from '@atoll/kube/command-line';
import { readRegularFileSync } from './regular-file.ts';

/** Not the empty one, of a variable that is not set. */
export const filePath = text('the path of a file');

/** More than all authorities of a large organisation take, in bytes. */
export const mostFlagFileBytes = 4 * 1024 * 1024;

/** A file that a flag names. */
export interface FlagFile {
  readonly flag: string;
  readonly file: string;
}

/** The text of a file. Throws where it cannot be read, with the flag and the cause. */
export function readFlagFile({ flag, file }: FlagFile): string {
  try {
    return readRegularFileSync(file, mostFlagFileBytes);
  } catch (error) {
    throw new Error(`${flag} ${file}: ${describeFileFault(error)}`, { cause: error });
  }
}

/** A certificate and its key in PEM. Throws where they cannot be used, with the flags and the cause. */
export function readPair(
  certificate: FlagFile,
  privateKey: FlagFile,
): { readonly cert: string; readonly key: string } {
  const cert = readFlagFile(certificate);
  const key = readFlagFile(privateKey);
  refuse(
    `${certificate.flag} ${certificate.file}, ${privateKey.flag} ${privateKey.file}`,
    problemOfPair(cert, key),
  );
  return { cert, key };
}

/** Gets a file of which certificates cannot be read, and how many: they are passed over. */
export type WarnOfUnreadable = (file: FlagFile, unreadable: number) => void;

/** Authorities in PEM. Throws where none of them can be used, with the flag and the cause. */
export function readAuthorities(authorities: FlagFile, warn: WarnOfUnreadable): { readonly ca: string } {
  const ca = readFlagFile(authorities);
  refuse(`${authorities.flag} ${authorities.file}`, problemOfAuthorities(ca));
  const unreadable = unreadableAuthorities(ca);
  if (unreadable > 0) warn(authorities, unreadable);
  return { ca: readableAuthorities(ca) };
}

function refuse(given: string, problem: string | undefined): void {
  if (problem !== undefined) throw new Error(`${given}: ${problem}`);
}
