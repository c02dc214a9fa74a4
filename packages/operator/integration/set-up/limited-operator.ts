import { operatorNames } from '@atoll/api';
import { limitedRbacObjects, operatorRole, operatorRoleBinding } from '@atoll/api/install';
import {
  createClient,
  isApiError,
  loadKubeconfig,
  namespaces,
  roleBindings,
  roles,
  serviceAccountUser,
  type KubeObject,
  type Resource,
  type Role,
  type StreamingClient,
} from '@atoll/kube';
import {
  parseAuditLine,
  runOperator,
  type AuditEntry,
  type ControlPlane,
  type RunningOperator,
} from '@atoll/testbed';
import { readFileSync } from 'node:fs';
import type { KindDefinition } from '../../src/definitions/kind-definition.ts';
import { controllerRules } from '../../src/install/cluster-role-rules.ts';
import { leaseRights, neededRights } from '../../src/start-up/preflight/needed-rights.ts';
import { preflight } from '../../src/start-up/preflight/preflight.ts';
import { apply } from './objects.ts';
import { operatorScript } from './operator-control-plane.ts';
import { eventually } from './standing.ts';

/** An operator that is limited to namespaces, in a namespace of its own, with the rights that the chart renders for it and no other. */
export interface LimitedOperator {
  readonly ownNamespace: string;
  readonly namespaces: readonly string[];
  readonly definitions: readonly KindDefinition[];
}

/** As `--controllers` is given to it. */
const namesOf = (definitions: readonly KindDefinition[]): string =>
  definitions.map(({ name }) => name).join(',');

/** The user of its service account, as the audit log has it. */
export function userOf({ ownNamespace }: Pick<LimitedOperator, 'ownNamespace'>): string {
  return serviceAccountUser(ownNamespace, operatorNames.serviceAccount);
}

/** Applies its rights, but for those in namespaces that do not exist. `without`: no Role allows this verb. */
export async function grant(
  client: StreamingClient,
  operator: LimitedOperator,
  without?: string,
): Promise<void> {
  const { ownNamespace, definitions } = operator;
  await makeNamespace(client, ownNamespace);
  const subjects = [{ kind: 'ServiceAccount', name: operatorNames.serviceAccount, namespace: ownNamespace }];
  const metadata = { name: operatorNames.role, namespace: ownNamespace };
  const objects: readonly { readonly resource: Resource<KubeObject>; readonly object: KubeObject }[] = [
    { resource: roles, object: { ...operatorRole, metadata } },
    { resource: roleBindings, object: { ...operatorRoleBinding, metadata, subjects } as KubeObject },
    ...limitedRbacObjects({ ...operator, controllers: definitions.map(controllerRules) }),
  ].map(({ resource, object }) => ({
    resource,
    object: without === undefined ? object : lacking(without, object),
  }));
  for (const { resource, object } of objects) {
    try {
      await apply(client, resource, object);
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
    }
  }
}

function lacking(verb: string, object: KubeObject): KubeObject {
  if (object.kind !== 'Role') return object;
  const { rules = [], ...rest } = object as Role;
  const less = rules.map((rule) => ({ ...rule, verbs: rule.verbs.filter((each) => each !== verb) }));
  return { ...rest, rules: less } as KubeObject;
}

export async function makeNamespace(client: StreamingClient, name: string): Promise<void> {
  await apply(client, namespaces, { metadata: { name } });
}

/** Starts it when the API server has read its roles. */
export async function startLimited(
  controlPlane: ControlPlane,
  { ownNamespace, namespaces: limitedTo, definitions }: LimitedOperator,
  ...more: readonly string[]
): Promise<RunningOperator> {
  const account = { namespace: ownNamespace, name: operatorNames.serviceAccount };
  const kubeconfig = await controlPlane.kubeconfigFor(account);
  const client = createClient(await loadKubeconfig({ path: kubeconfig }), { userAgent: 'spec' });
  const rights = [
    ...neededRights(definitions, limitedTo),
    ...leaseRights({ namespace: ownNamespace, name: operatorNames.lease }),
  ];
  await eventually(async () => preflight(client, 'here', rights, AbortSignal.timeout(30_000)));
  await client.close();
  return runOperator(controlPlane, {
    name: `operator-${ownNamespace}`,
    script: operatorScript,
    account,
    kubeconfig,
    args: [`--namespaces=${limitedTo.join(',')}`, `--controllers=${namesOf(definitions)}`, ...more],
    env: { POD_NAMESPACE: ownNamespace },
  });
}

/** What it asked of the API server, in the order in which that was answered. */
export function requestsOf(
  { auditLog = '' }: Pick<ControlPlane, 'auditLog'>,
  operator: Pick<LimitedOperator, 'ownNamespace'>,
): readonly AuditEntry[] {
  const user = userOf(operator);
  return readFileSync(auditLog, 'utf8')
    .split('\n')
    .filter((line) => line.includes(`"${user}"`) && line.endsWith('}'))
    .map((line) => parseAuditLine(line))
    .filter((entry) => entry.user === user);
}

/** One line for a request, to be compared. */
export function describeRequest({
  verb,
  resource,
  subresource,
  namespace = '',
  name = '',
  code,
}: AuditEntry): string {
  const what = subresource === undefined ? resource : `${resource}/${subresource}`;
  return `${verb} ${what} ${namespace}/${name} ${code}`;
}
