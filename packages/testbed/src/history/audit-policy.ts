import { stringify } from 'yaml';

/**
 * The audit policy (audit.k8s.io/v1) that makes every write readable afterwards: who, with which precondition,
 * what was sent and what was answered.
 *
 * - Reads are logged without bodies: nothing is decided on them, and one list of 20,000 pods would be a line of
 *   100 MB.
 * - Of the resources that Atoll or its neighbours write, requests and responses are kept whole. The uid and
 *   resourceVersion of the response join an entry to the watch event it caused.
 * - Everything else (secrets and tokens above all) leaves its metadata only.
 * - Log order is completion order, not commit order.
 */
export const auditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  omitManagedFields: true,
  rules: [
    { level: 'Metadata', verbs: ['get', 'list', 'watch'] },
    {
      level: 'RequestResponse',
      resources: [
        { group: '', resources: ['pods', 'pods/*', 'nodes', 'nodes/*', 'events'] },
        { group: 'apps' },
        { group: 'apps.openyurt.io' },
        { group: 'apps.kruise.io' },
        { group: 'datadoghq.com' },
        { group: 'coordination.k8s.io', resources: ['leases'] },
        { group: 'events.k8s.io' },
      ],
    },
    { level: 'Metadata' },
  ],
} as const;

/** The policy as the file that kube-apiserver's `--audit-policy-file` reads. */
export const auditPolicyYaml: string = stringify(auditPolicy);
