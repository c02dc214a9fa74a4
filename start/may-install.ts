import { installObjects } from '@atoll/operator/install';
import {
  customResourceDefinitions,
  groupResourceOf,
  mayI,
  type ResourceAttributes,
  type StreamingClient,
} from '@atoll/kube';
import { operatorAccount } from './operator-access.ts';

/**
 * What the user may not do and `npm start` has to: `create, patch clusterroles.rbac.authorization.k8s.io`. Sorted; empty
 * when nothing is missing. Rejects with the `ApiError` of a request that failed.
 */
export async function missingRights(
  client: Pick<StreamingClient, 'raw'>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const verbsOf = new Map<string, string[]>();
  await Promise.all(
    neededRights().map(async ({ subject, attributes }) => {
      if ((await mayI(client, attributes, { signal })).allowed) return;
      verbsOf.set(subject, [...(verbsOf.get(subject) ?? []), attributes.verb ?? '']);
    }),
  );
  return [...verbsOf].map(([subject, verbs]) => `${verbs.toSorted().join(', ')} ${subject}`).toSorted();
}

interface NeededRight {
  /** For people: `serviceaccounts/token`. */
  readonly subject: string;
  readonly attributes: ResourceAttributes;
}

function neededRights(): readonly NeededRight[] {
  const rights = new Map<string, NeededRight>();
  const need = (subject: string, attributes: ResourceAttributes): void =>
    void rights.set(`${attributes.verb} ${attributes.namespace} ${subject}`, { subject, attributes });
  for (const { resource, object } of installObjects()) {
    const { group, version, plural, namespaced } = resource;
    const where = namespaced ? { namespace: object.metadata.namespace ?? '' } : {};
    const subject = groupResourceOf(resource);
    const verbs = resource.kind === customResourceDefinitions.kind ? ['update'] : [];
    // Server-side apply of what is absent takes both.
    for (const verb of ['get', 'create', 'patch', ...verbs])
      need(subject, { group, version, resource: plural, verb, ...where });
  }
  const { namespace, name } = operatorAccount;
  const token = { group: '', resource: 'serviceaccounts', subresource: 'token', verb: 'create' };
  need('serviceaccounts/token', { ...token, namespace, name });
  return [...rights.values()];
}
