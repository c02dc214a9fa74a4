import { homedir } from 'node:os';

/** The home of the user who runs this process; undefined: `HOME` is not set, and the system does not know the user, as in a container. */
export function homeFolder(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  try {
    return environment['HOME'] ?? homedir();
  } catch {
    return undefined;
  }
}
