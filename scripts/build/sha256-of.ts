import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Of a file's content, in hexadecimal digits. */
export function sha256Of(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
