import type { AuditEntry } from '@atoll/testbed';

/** Writes of the operator that the API server accepted or refused, as its audit log counts them. */
export interface Written {
  readonly creates: number;
  readonly applies: number;
  readonly deletes: number;
  /** Of the child that was written most often; its creation counts. */
  readonly mostPerChild: number;
  readonly children: number;
  readonly revisions: number;
  readonly status: number;
  /** Of the object whose status was written most often. */
  readonly mostStatusPerObject: number;
  readonly events: number;
  /** Of all, those that the API server refused. */
  readonly refused: number;
  /** Without events and the leader's lease. */
  readonly total: number;
}

export function countWrites(entries: readonly AuditEntry[]): Written {
  const of = (is: (entry: AuditEntry) => boolean): readonly AuditEntry[] => entries.filter(is);
  const children = of(({ resource }) => resource === 'deployments.apps');
  const status = of(
    ({ resource, subresource }) =>
      resource === 'uniteddeployments.apps.kruise.io' && subresource === 'status',
  );
  const events = of(({ resource }) => resource === 'events.events.k8s.io').length;
  const perChild = timesByName(children);
  return {
    creates: children.filter(({ code }) => code === 201).length,
    applies: children.filter(({ verb, code }) => verb === 'patch' && code === 200).length,
    deletes: children.filter(({ verb }) => verb === 'delete').length,
    mostPerChild: Math.max(0, ...perChild.values()),
    children: perChild.size,
    revisions: of(({ resource }) => resource === 'controllerrevisions.apps').length,
    status: status.length,
    mostStatusPerObject: Math.max(0, ...timesByName(status).values()),
    events,
    refused: of(({ code }) => code >= 400).length,
    total: entries.length - events,
  };
}

function timesByName(entries: readonly AuditEntry[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const { name = '' } of entries) times.set(name, (times.get(name) ?? 0) + 1);
  return times;
}
