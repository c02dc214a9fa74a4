/** Credentials that cannot be used. The message names the place, the value, and what is allowed. */
export class CredentialError extends Error {
  override readonly name = 'CredentialError';
}

/** The error of the operating system, without its code and call: `no such file`, `permission denied`. */
export function describeFileFault(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ENOENT':
      return 'no such file';
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    case 'ENOTDIR':
      return 'a folder on the way to it is a file';
    case 'EISDIR':
      return 'it is a directory';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}
