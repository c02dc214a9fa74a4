import { copyFileSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { ControlPlane, History } from '@atoll/testbed';

/** Lines of JSON, by the name of their file. */
export type EvidenceLines = Readonly<Record<string, readonly unknown[]>>;

/**
 * What a round that broke a rule leaves: the audit log, every recorded event, lines of the caller's, and the logs of all programs. Yields
 * the directory, whose name has the prefix. Without it nobody finds out why, because the control plane is gone with the run.
 */
export function keepEvidence(
  prefix: string,
  { auditLog = '', components }: Pick<ControlPlane, 'auditLog' | 'components'>,
  { events }: History,
  more: EvidenceLines = {},
): string {
  const directory = mkdtempSync(join(tmpdir(), prefix));
  for (const [name, values] of Object.entries({ events, ...more })) {
    const lines = values.map((each) => `${JSON.stringify(each)}\n`).join('');
    writeFileSync(join(directory, `${name}.jsonl`), lines);
  }
  // The API server begins a new file when one is large.
  const [stem = ''] = basename(auditLog).split('.');
  const audit = readdirSync(dirname(auditLog)).filter((name) => name.startsWith(stem));
  for (const name of audit) copyFileSync(join(dirname(auditLog), name), join(directory, name));
  for (const { name, logFile } of components) copyFileSync(logFile, join(directory, `${name}.log`));
  return directory;
}
