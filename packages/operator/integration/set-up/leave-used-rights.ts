import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseAuditLine, type AuditEntry } from '@atoll/testbed';

const root = join(import.meta.dirname, '..', '..', '..', '..');

/**
 * With `ATOLL_RIGHTS=<folder>`, leaves there which rights a user made use of according to the audit log, for
 * `scripts/used-rights.ts`.
 */
export function leaveUsedRights(auditLog: string, user: string, spec = 'unknown'): void {
  const folder = process.env['ATOLL_RIGHTS'] ?? '';
  if (folder === '') return;
  const lines = readFileSync(auditLog, 'utf8')
    .split('\n')
    .filter((line) => line.includes(`"${user}"`));
  const used = lines
    .map((line) => parseAuditLine(line))
    .filter((entry) => entry.user === user && entry.code !== 403);
  const rights = new Set(used.flatMap(rightsOf));
  mkdirSync(folder, { recursive: true });
  const file = `${relative(root, spec).replaceAll('/', '+')}-${process.pid}-${Date.now()}`;
  writeFileSync(join(folder, file), [relative(root, spec), ...[...rights].toSorted(), ''].join('\n'));
}

/** `patch deployments.apps/scale`; where there is a name, the same with it, because rules may be limited to names. */
function rightsOf({ verb, resource, subresource, name, apply, code }: AuditEntry): readonly string[] {
  if (resource === '') return [];
  const objects = subresource === undefined ? resource : `${resource}/${subresource}`;
  // What an apply makes is asked for as a creation too.
  const verbs = apply && code === 201 ? [verb, 'create'] : [verb];
  return verbs.flatMap((each) => [
    `${each} ${objects}`,
    ...(name === undefined ? [] : [`${each} ${objects} ${name}`]),
  ]);
}
