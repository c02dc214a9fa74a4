import {
  ApiError,
  apiVersionOf,
  groupResourceOf,
  type KubeObject,
  type Resource,
  type StreamingClient,
} from '@atoll/kube';

/** A right that a controller cannot work without. */
export interface NeededRight {
  readonly resource: Resource<KubeObject>;
  readonly verb: string;
  readonly subresource?: string;
}

/** Why the operator cannot start, in one message for people. */
export class PreflightError extends Error {
  override readonly name = 'PreflightError';
}

/**
 * Looks, before anything starts, whether the API server answers, serves every resource that is needed, and allows
 * what will be asked of it. Rejects with a {@link PreflightError} that names everything that is missing at once.
 */
export async function preflight(
  client: StreamingClient,
  server: string,
  rights: readonly NeededRight[],
  signal: AbortSignal,
): Promise<void> {
  await reach(client, server, signal);
  const missing = await missingResources(client, [...new Set(rights.map((right) => right.resource))], signal);
  if (missing.length > 0) {
    throw new PreflightError(
      `The API server at ${server} does not serve ${missing.join(', ')}: install Atoll's CRDs first (deploy/crds, or npm start -- --kubeconfig FILE).`,
    );
  }
  const refused = await refusedRights(client, rights, signal);
  if (refused.length > 0) {
    throw new PreflightError(
      `The API server at ${server} does not allow this user to ${refused.join('; ')}: bind the ClusterRole of deploy/rbac.yaml to it.`,
    );
  }
}

async function reach(client: StreamingClient, server: string, signal: AbortSignal): Promise<void> {
  try {
    await client.raw({ path: '/version', signal, timeoutMs: 10_000 });
  } catch (error) {
    throw new PreflightError(`Cannot use the API server at ${server}: ${explain(error)}`, { cause: error });
  }
}

async function missingResources(
  client: StreamingClient,
  resources: readonly Resource<KubeObject>[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const served = new Map<string, Promise<ReadonlySet<string>>>();
  const missing: string[] = [];
  for (const resource of resources) {
    const apiVersion = apiVersionOf(resource);
    const names = served.get(apiVersion) ?? servedNames(client, resource, signal);
    served.set(apiVersion, names);
    if (!(await names).has(resource.plural)) missing.push(`${groupResourceOf(resource)} ${resource.version}`);
  }
  return missing;
}

async function servedNames(
  client: StreamingClient,
  resource: Resource<KubeObject>,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const path = resource.group === '' ? `/api/${resource.version}` : `/apis/${apiVersionOf(resource)}`;
  try {
    const { body } = await client.raw({ path, signal });
    const list = JSON.parse(body.toString('utf8')) as {
      readonly resources?: readonly { readonly name: string }[];
    };
    return new Set((list.resources ?? []).map((each) => each.name));
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return new Set();
    throw new PreflightError(`Cannot ask the API server what it serves under ${path}: ${explain(error)}`, {
      cause: error,
    });
  }
}

interface AccessReview extends KubeObject {
  readonly spec: { readonly resourceAttributes: Readonly<Record<string, string>> };
  readonly status?: { readonly allowed: boolean };
}

const accessReviews: Resource<AccessReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectAccessReview',
  plural: 'selfsubjectaccessreviews',
  namespaced: false,
};

async function refusedRights(
  client: StreamingClient,
  rights: readonly NeededRight[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const answers = await Promise.all(
    rights.map(async ({ resource, verb, subresource }) => {
      const resourceAttributes = {
        group: resource.group,
        version: resource.version,
        resource: resource.plural,
        verb,
        ...(subresource === undefined ? {} : { subresource }),
      };
      const review = { metadata: { name: '' }, spec: { resourceAttributes } };
      const answer = await client.create(accessReviews, review, { signal });
      const name = groupResourceOf(resource) + (subresource === undefined ? '' : `/${subresource}`);
      return answer.status?.allowed === true ? undefined : { verb, name };
    }),
  );
  const verbsOf = new Map<string, string[]>();
  for (const refused of answers) {
    if (refused === undefined) continue;
    verbsOf.set(refused.name, [...(verbsOf.get(refused.name) ?? []), refused.verb]);
  }
  return [...verbsOf].map(([name, verbs]) => `${verbs.join(', ')} ${name}`).sort();
}

function explain(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
  if (error.code === 401) return 'it does not accept these credentials (401 Unauthorized).';
  return error.message.replace(`${error.attempted}: `, '');
}
