import type { AuditEntry } from '@atoll/testbed';

/** A write as the audit log shows it, accepted unless given otherwise. */
export function entry(change: Partial<AuditEntry>): AuditEntry {
  return {
    id: 'id',
    level: 'Metadata',
    receivedAt: 0,
    at: 0,
    stage: 'ResponseComplete',
    user: 'system:serviceaccount:atoll-system:atoll',
    userAgent: 'atoll-operator/0.1.0',
    verb: 'patch',
    resource: '',
    subresource: undefined,
    namespace: undefined,
    name: undefined,
    uid: undefined,
    preconditions: {},
    fieldManager: undefined,
    apply: false,
    dryRun: false,
    code: 200,
    reason: undefined,
    message: undefined,
    request: undefined,
    response: undefined,
    ...change,
  };
}
