import { copyFileSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { History } from '@atoll/testbed';
import type { ChaosWorld } from './faults/chaos-world.ts';

/** When a fault began: ISO time and name. */
export type FaultAt = readonly [at: string, fault: string];

/**
 * What a round that broke a rule leaves: the audit log, every recorded event, when faults began, and the logs of all programs. Yields
 * the directory. Without it nobody finds out why, because the control plane is gone with the run.
 */
export function keepEvidence(
  { controlPlane: { auditLog = '', components } }: ChaosWorld,
  { events }: History,
  faults: readonly FaultAt[],
): string {
  const directory = mkdtempSync(join(tmpdir(), 'atoll-chaos-'));
  const lines = (values: readonly unknown[]): string =>
    values.map((each) => `${JSON.stringify(each)}\n`).join('');
  writeFileSync(join(directory, 'events.jsonl'), lines(events));
  writeFileSync(join(directory, 'faults.jsonl'), lines(faults));
  // The API server begins a new file when one is large.
  const [stem = ''] = basename(auditLog).split('.');
  const audit = readdirSync(dirname(auditLog)).filter((name) => name.startsWith(stem));
  for (const name of audit) copyFileSync(join(dirname(auditLog), name), join(directory, name));
  for (const { name, logFile } of components) copyFileSync(logFile, join(directory, `${name}.log`));
  return directory;
}
