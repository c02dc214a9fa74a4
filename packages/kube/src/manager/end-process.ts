/** What of `process` is needed. */
export interface EndingProcess {
  exit(code: number): void;
  readonly execPath?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  getActiveResourcesInfo?(): readonly string[];
  execve?(file: string, args: readonly string[], env: Readonly<Record<string, string | undefined>>): never;
}

/** What Node does in threads, for as long as the operating system lets it wait. */
const inThreads = /^(FSReq|GetAddrInfo|GetNameInfo)/;

/**
 * Ends the process with this code, at once. `exit` waits for threads: where a file is read from a network file system that is
 * away, it never ends. A program that takes the place of the process leaves them behind, and gives it its code; a signal to itself
 * would not end the first process of a container.
 */
export function endProcess(source: EndingProcess, code: number): void {
  const isKept = source.getActiveResourcesInfo?.().some((name) => inThreads.test(name)) === true;
  if (isKept && source.execPath !== undefined) {
    const { NODE_OPTIONS: _, ...env } = source.env ?? {};
    source.execve?.(source.execPath, [source.execPath, '--eval', `process.exit(${code})`], env);
  }
  source.exit(code);
}
