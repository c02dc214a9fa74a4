import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessIdentity } from './process-identity.ts';

export interface NamedProcess extends ProcessIdentity {
  readonly name: string;
}

/** Which processes belong to a control plane's directory: read by the process that has to end a control plane that nobody looks after. */
export interface ProcessRecord {
  readonly owner: ProcessIdentity;
  readonly supervisor: ProcessIdentity;
  readonly programs: readonly NamedProcess[];
  /** A file outside the directory that is removed with it. */
  readonly file?: string;
}

const fileName = 'processes.json';

export function writeProcessRecord(directory: string, record: ProcessRecord): void {
  mkdirSync(directory, { recursive: true });
  const file = join(directory, fileName);
  writeFileSync(`${file}.new`, JSON.stringify(record));
  renameSync(`${file}.new`, file);
}

export function readProcessRecord(directory: string): ProcessRecord | undefined {
  try {
    return JSON.parse(readFileSync(join(directory, fileName), 'utf8')) as ProcessRecord;
  } catch {
    return undefined;
  }
}
