import type { KubeObject, Stored } from '@atoll/kube';
import type { AuditEntry } from './audit-entry.ts';
import type { RecordedEvent, RecordingGap } from './recorded-event.ts';

/** Evidence for specs: a Deployment that belongs to a pool, and entries and events about it. */

export const startOfDay = Date.parse('2026-01-01T12:00:00Z');

export interface SampleChild {
  readonly uid: string;
  readonly name?: string;
  readonly version: number;
  readonly owner?: string;
  readonly pool?: string;
  readonly replicas?: number;
  readonly readyReplicas?: number;
  readonly deleting?: boolean;
  readonly graceSeconds?: number;
  readonly finalizers?: readonly string[];
}

export function sampleChild(child: SampleChild): Stored<KubeObject> {
  const { uid, name = `web-${uid}`, version, owner = 'owner-1', pool = 'hangzhou', replicas = 1 } = child;
  const object = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name,
      namespace: 'edge',
      uid,
      resourceVersion: String(version),
      creationTimestamp: '2026-01-01T12:00:00Z',
      labels: { pool },
      ownerReferences: [
        {
          apiVersion: 'apps.openyurt.io/v1alpha1',
          kind: 'UnitedDaemonSet',
          name: 'web',
          uid: owner,
          controller: true,
        },
      ],
      ...(child.deleting === true ? { deletionTimestamp: '2026-01-01T12:00:05Z' } : {}),
      ...(child.graceSeconds === undefined ? {} : { deletionGracePeriodSeconds: child.graceSeconds }),
      ...(child.finalizers === undefined ? {} : { finalizers: child.finalizers }),
    },
    spec: { replicas },
    ...(child.readyReplicas === undefined ? {} : { status: { readyReplicas: child.readyReplicas } }),
  };
  return object;
}

export function sampleEvent(
  type: RecordedEvent['type'],
  child: SampleChild & {
    readonly initial?: boolean;
    readonly relisted?: boolean;
    readonly at?: number;
    readonly resource?: string;
  },
): RecordedEvent {
  const object = sampleChild(child);
  return {
    type,
    initial: child.initial ?? false,
    relisted: child.relisted ?? false,
    at: startOfDay + (child.at ?? child.version),
    resource: child.resource ?? 'deployments.apps',
    uid: child.uid,
    namespace: 'edge',
    name: object.metadata.name,
    version: child.version,
    object,
  };
}

export function sampleEntry(entry: Partial<AuditEntry> & { readonly child?: SampleChild }): AuditEntry {
  const { child, ...given } = entry;
  const response = child === undefined ? undefined : sampleChild(child);
  const at = given.at ?? startOfDay + (child?.version ?? 0);
  return {
    id: 'id',
    level: 'RequestResponse',
    receivedAt: at,
    at,
    stage: 'ResponseComplete',
    user: 'operator',
    userAgent: 'atoll',
    verb: 'create',
    resource: 'deployments.apps',
    subresource: undefined,
    namespace: 'edge',
    name: response?.metadata.name ?? 'web',
    uid: child?.uid,
    preconditions: {},
    fieldManager: undefined,
    apply: false,
    dryRun: false,
    code: 200,
    reason: undefined,
    message: undefined,
    request: undefined,
    response,
    ...given,
  };
}

/** After version 10, closed by a list at version 20. */
export const sampleGap: RecordingGap = {
  resource: 'deployments.apps',
  namespace: undefined,
  since: startOfDay + 10,
  afterVersion: 10,
  until: { version: 20, at: startOfDay + 20 },
};
