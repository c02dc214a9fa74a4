import {
  groupResourceOf,
  isApiError,
  mayI,
  servesResource,
  serverVersion,
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

type PreflightClient = Pick<StreamingClient, 'raw'>;

/**
 * Looks, before anything starts, whether the API server answers, serves every resource that is needed, and allows
 * what will be asked of it. Rejects with a {@link PreflightError} that names everything that is missing at once.
 * Yields the server's version.
 */
export async function preflight(
  client: PreflightClient,
  server: string,
  rights: readonly NeededRight[],
  signal: AbortSignal,
): Promise<string> {
  try {
    const { gitVersion } = await serverVersion(client, { signal, timeoutMs: 10_000 });
    const missing = await missingResources(client, rights, signal);
    if (missing.length > 0) {
      throw new PreflightError(
        `The API server at ${server} does not serve ${missing.join(', ')}: install Atoll's CRDs first (kubectl apply -f deploy/crds, or npm start -- --kubeconfig FILE).`,
      );
    }
    const refused = await refusedRights(client, rights, signal);
    if (refused.length > 0) {
      throw new PreflightError(
        `The API server at ${server} does not allow this user to ${refused.join('; ')}: bind the ClusterRole of deploy/rbac.yaml to it.`,
      );
    }
    return gitVersion;
  } catch (error) {
    if (error instanceof PreflightError || signal.aborted) throw error;
    throw new PreflightError(`Cannot use the API server at ${server}: ${explain(error)}`, { cause: error });
  }
}

async function missingResources(
  client: PreflightClient,
  rights: readonly NeededRight[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const resources = [...new Set(rights.map((right) => right.resource))];
  const served = await Promise.all(resources.map(async (each) => servesResource(client, each, { signal })));
  return resources
    .filter((_, index) => served[index] !== true)
    .map((resource) => `${groupResourceOf(resource)} ${resource.version}`)
    .sort();
}

async function refusedRights(
  client: PreflightClient,
  rights: readonly NeededRight[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const answers = await Promise.all(
    rights.map(async ({ resource, verb, subresource }) => {
      const { group, version, plural } = resource;
      const attributes = { group, version, resource: plural, verb };
      return mayI(client, subresource === undefined ? attributes : { ...attributes, subresource }, {
        signal,
      });
    }),
  );
  const verbsOf = new Map<string, Set<string>>();
  for (const [index, { resource, verb, subresource }] of rights.entries()) {
    if (answers[index]?.allowed === true) continue;
    const name = groupResourceOf(resource) + (subresource === undefined ? '' : `/${subresource}`);
    verbsOf.set(name, (verbsOf.get(name) ?? new Set()).add(verb));
  }
  return [...verbsOf].map(([name, verbs]) => `${[...verbs].join(', ')} ${name}`).sort();
}

function explain(error: unknown): string {
  if (isApiError(error)) {
    if (error.code === 401) return 'it does not accept these credentials (401 Unauthorized).';
    return error.message.replace(`${error.attempted}: `, '');
  }
  return error instanceof Error ? error.message : String(error);
}
