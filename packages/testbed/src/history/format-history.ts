import type { Instant } from '@atoll/kube';
import type { AuditEntry } from './audit-entry.ts';
import type { Effect, History, HistoryEntry } from './history.ts';
import type { Change } from './object-changes.ts';

/** What of a history is shown. */
export interface FormatOptions {
  /** Leaves out the entries for which it is false. */
  readonly where?: (entry: HistoryEntry) => boolean;
  /** Changed fields shown per write; default 6. */
  readonly maxChanges?: number;
}

/** One line per write: time (UTC), version, who, verb, object, preconditions, code, and what changed. */
export function formatHistory(history: History, options: FormatOptions = {}): string {
  const rows = history.entries
    .filter(options.where ?? (() => true))
    .map((entry) => rowOf(entry, options.maxChanges ?? 6));
  const gaps = history.gaps.map(
    (gap) => `GAP in ${gap.resource} after version ${gap.afterVersion}: events can be missing\n`,
  );
  return gaps.join('') + alignColumns(rows);
}

function rowOf(entry: HistoryEntry, maxChanges: number): readonly string[] {
  if (entry.kind === 'unexplained') {
    const { event } = entry.effect;
    const object = formatObject(event.resource, undefined, event.namespace, event.name);
    return [
      formatTime(entry.at),
      `v${event.version}`,
      '?',
      event.type,
      object,
      '',
      '',
      describe(entry.effect, maxChanges),
    ];
  }
  const { audit, effects, result } = entry;
  const version = effects.at(-1)?.event.version;
  const what =
    effects.length === 0
      ? [result, result === 'refused' ? audit.message : undefined].filter(Boolean).join(': ')
      : effects.map((effect) => describe(effect, maxChanges)).join('; ');
  return [
    formatTime(entry.at),
    version === undefined ? '' : `v${version}`,
    formatUser(audit),
    audit.apply ? 'apply' : audit.verb,
    formatObject(audit.resource, audit.subresource, audit.namespace, audit.name),
    formatPreconditions(audit),
    String(audit.code),
    what,
  ];
}

function formatTime(at: Instant): string {
  return new Date(at).toISOString().slice(11, 23);
}

function formatUser({ user, fieldManager }: AuditEntry): string {
  const name = user.replace(/^system:serviceaccount:/, 'sa:');
  return fieldManager === undefined ? name : `${name} (${fieldManager})`;
}

function formatObject(
  resource: string,
  subresource: string | undefined,
  namespace: string | undefined,
  name: string | undefined,
): string {
  const where =
    namespace === undefined || name === undefined ? (name ?? namespace ?? '*') : `${namespace}/${name}`;
  return `${subresource === undefined ? resource : `${resource}/${subresource}`} ${where}`;
}

function formatPreconditions({ preconditions: { uid, resourceVersion } }: AuditEntry): string {
  const parts = [];
  if (uid !== undefined) parts.push(`uid=${uid.slice(0, 8)}`);
  if (resourceVersion !== undefined) parts.push(`rv=${resourceVersion}`);
  return parts.length === 0 ? '' : `if ${parts.join(' ')}`;
}

function describe({ event, changes }: Effect, maxChanges: number): string {
  const uid = event.uid.slice(0, 8);
  if (event.type === 'ADDED') return `created ${uid}`;
  if (event.type === 'DELETED') return `deleted ${uid}`;
  const shown = changes.slice(0, maxChanges).map(formatChange);
  const hidden = changes.length - shown.length;
  return [...shown, ...(hidden > 0 ? [`and ${hidden} more`] : [])].join(', ');
}

function formatChange({ path, from, to }: Change): string {
  if (from === undefined) return `${path} = ${formatValue(to)}`;
  if (to === undefined) return `${path} removed`;
  return `${path} ${formatValue(from)} → ${formatValue(to)}`;
}

function formatValue(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

function alignColumns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, column) => (widths[column] = Math.max(widths[column] ?? 0, cell.length)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return lines.map((line) => `${line}\n`).join('');
}
