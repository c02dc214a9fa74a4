import type { AuditEntry } from '@atoll/testbed';

/** Writes of the operator that the API server accepted or refused, as its audit log counts them. */
export interface RolloutWrites {
  /** Of children. */
  readonly creates: number;
  readonly applies: number;
  readonly deletes: number;
  readonly events: number;
  /** Of all, those that the API server refused. */
  readonly refused: number;
  /** Without events and the leader's lease. */
  readonly total: number;
}

export function countRolloutWrites(entries: readonly AuditEntry[]): RolloutWrites {
  const children = childWrites(entries);
  const events = entries.filter(({ resource }) => resource === 'events.events.k8s.io').length;
  return {
    creates: children.filter(({ code }) => code === 201).length,
    applies: children.filter(({ verb, code }) => verb === 'patch' && code === 200).length,
    deletes: children.filter(({ verb }) => verb === 'delete').length,
    events,
    refused: entries.filter(({ code }) => code >= 400).length,
    total: entries.length - events,
  };
}

export function childWrites(entries: readonly AuditEntry[]): readonly AuditEntry[] {
  return entries.filter(({ resource }) => resource === 'deployments.apps');
}

/** Of the kind with this plural. */
export function statusWrites(entries: readonly AuditEntry[], plural: string): readonly AuditEntry[] {
  return entries.filter(
    ({ resource, subresource }) => resource.startsWith(`${plural}.`) && subresource === 'status',
  );
}
