import { readFileSync } from 'node:fs';
import { describeFileFault, problemOfAuthorities, problemOfPair } from '@atoll/kube';
import { text } from '@atoll/kube/command-line';

/** Not the empty one, of a variable that is not set. */
export const filePath = text('the path of a file');

/** A file that a flag names. */
export interface FlagFile {
  readonly flag: string;
  readonly file: string;
}

/** The text of a file. Throws where it cannot be read, with the flag and the cause. */
export function readFlagFile({ flag, file }: FlagFile): string {
  try {
    return readFileSync(file, 'utf8');
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

/** Authorities in PEM. Throws where they cannot be used, with the flag and the cause. */
export function readAuthorities(authorities: FlagFile): { readonly ca: string } {
  const ca = readFlagFile(authorities);
  refuse(`${authorities.flag} ${authorities.file}`, problemOfAuthorities(ca));
  return { ca };
}

function refuse(given: string, problem: string | undefined): void {
  if (problem !== undefined) throw new Error(`${given}: ${problem}`);
}
