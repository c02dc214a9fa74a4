import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Everybody may read what is below a folder, and only its owner may write it: 755 for folders and for what its owner may run, 644 for the
 * rest. So neither the umask of a build nor that of the checkout shows in what is published, and the user of an image can read it.
 */
export function openModes(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const runs = entry.isDirectory() || (statSync(path).mode & 0o100) !== 0;
    chmodSync(path, runs ? 0o755 : 0o644);
  }
}
