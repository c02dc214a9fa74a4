import {
  groupResourceOf,
  inParallel,
  isApiError,
  leases,
  servedInVersion,
  serverVersion,
  type KubeObject,
  type Namespace,
  type ObjectKey,
  type Resource,
  type StreamingClient,
} from '@atoll/kube';
import { questionsAtOnce, refusedRights, type RefusedRights } from './review-rights.ts';

/** A right that a controller cannot work without. */
export interface NeededRight {
  readonly resource: Resource<KubeObject>;
  readonly verb: string;
  readonly subresource?: string;
  /** Where it is needed, where not everywhere; with a name: for this object only. */
  readonly namespace?: string;
  readonly name?: string;
  /** The kind need not be installed; the right is needed only where it is. */
  readonly ifServed?: boolean;
  /** The namespace need not be there; the right is needed only while it is. */
  readonly ifThere?: boolean;
}

const afterDeletion =
  'Where somebody deleted them, see what comes back and what has to be restored: docs/operating/install.md#a-definition-was-deleted.';

/** Why the operator cannot start, in one message for people. */
export class PreflightError extends Error {
  override readonly name = 'PreflightError';
  /** It may pass without anybody changing anything, so that the preflight is to be repeated. */
  readonly mayPass: boolean;

  constructor(message: string, options: { readonly mayPass?: boolean; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.mayPass = options.mayPass ?? false;
  }
}

type PreflightClient = Pick<StreamingClient, 'raw'>;

/**
 * Looks, before anything starts, whether the API server answers, serves every resource that is needed, and allows
 * what will be asked of it. Rejects with a {@link PreflightError} that names everything that is missing at once.
 * Yields the server's version. `granted`: rights that the same start was granted before; they are not asked for again, and
 * those that are granted now come in.
 */
export async function preflight(
  client: PreflightClient,
  server: string,
  rights: readonly NeededRight[],
  signal: AbortSignal,
  granted = new Set<NeededRight>(),
): Promise<string> {
  try {
    const gitVersion = await versionOf(client, server, signal);
    const absent = await absentResources(client, rights, signal);
    const missing = new Set(
      rights.flatMap(({ resource, ifServed }) =>
        absent.has(resource) && ifServed !== true ? [`${groupResourceOf(resource)} ${resource.version}`] : [],
      ),
    );
    if (missing.size > 0) {
      throw await lacking(
        client,
        signal,
        `The API server at ${server} does not serve ${[...missing].sort().join(', ')}: install Atoll's CRDs first (kubectl apply -f deploy/crds, or npm start -- --kubeconfig FILE). ${afterDeletion}`,
      );
    }
    const usable = rights.filter(({ resource }) => !absent.has(resource));
    const needed = await inNamespacesThatAreThere(client, usable, signal);
    const { missing: refused, because } = await reviewed(client, server, needed, signal, granted);
    if (refused.length > 0) {
      const roles = rights.some(({ ifThere }) => ifThere === true)
        ? 'the roles that the chart renders for its namespaces (docs/operating/namespaces.md)'
        : 'the roles of deploy/rbac.yaml';
      throw await lacking(
        client,
        signal,
        `The API server at ${server} does not allow this user to ${refused.join('; ')}: bind ${roles} to it.${because.length === 0 ? '' : ` It says: ${because.join('; ')}.`}`,
      );
    }
    return gitVersion;
  } catch (error) {
    if (error instanceof PreflightError || signal.aborted) throw error;
    throw unusable(server, error);
  }
}

/**
 * Looks, without writing anything, whether the Lease can be kept where it is to be: a namespace that does not exist
 * would mean to wait for ever. Rejects with a {@link PreflightError}.
 */
export async function preflightLease(
  client: Pick<StreamingClient, 'create'>,
  server: string,
  { namespace = '', name }: ObjectKey,
  signal: AbortSignal,
): Promise<void> {
  try {
    await client.create(leases, { metadata: { namespace, name } }, { dryRun: true, signal });
  } catch (error) {
    if (isApiError(error, 'AlreadyExists') || signal.aborted) return;
    if (!isApiError(error, 'NotFound')) {
      throw unusable(server, error);
    }
    throw new PreflightError(
      `The namespace ${namespace}, where the Lease of the leader election is to be, does not exist at ${server}: apply deploy/rbac.yaml, name another one with --leader-elect-resource-namespace, or run a single replica with --leader-elect=false.`,
    );
  }
}

/**
 * Every user may read the version. A server that refuses it has not read its roles yet, as in the first moments after a
 * start; who is refused later on has no right to it.
 */
async function versionOf(client: PreflightClient, server: string, signal: AbortSignal): Promise<string> {
  try {
    return (await serverVersion(client, { signal, timeoutMs: 10_000 })).gitVersion;
  } catch (error) {
    throw isApiError(error, 'Forbidden') ? unusable(server, error, true) : error;
  }
}

async function absentResources(
  client: PreflightClient,
  rights: readonly NeededRight[],
  signal: AbortSignal,
): Promise<ReadonlySet<Resource<KubeObject>>> {
  const resources = [...new Set(rights.map((right) => right.resource))];
  const inVersions = [...Map.groupBy(resources, ({ group, version }) => `${group}/${version}`).values()];
  const absent = await inParallel(inVersions, questionsAtOnce, async (together) => {
    const [first] = together;
    const served = first === undefined ? undefined : await servedInVersion(client, first, { signal });
    return together.filter(({ plural }) => served?.has(plural) !== true);
  });
  return new Set(absent.flat());
}

/** Every user may ask what they may do, unless somebody took that away. */
async function reviewed(
  client: PreflightClient,
  server: string,
  rights: readonly NeededRight[],
  signal: AbortSignal,
  granted: Set<NeededRight>,
): Promise<RefusedRights> {
  try {
    return await refusedRights(client, rights, signal, granted);
  } catch (error) {
    if (!isApiError(error, 'Forbidden')) throw error;
    throw await lacking(
      client,
      signal,
      `The API server at ${server} does not allow this user to ask what it may do (create selfsubjectaccessreviews.authorization.k8s.io): bind the ClusterRole system:basic-user to it.`,
    );
  }
}

/** Without those that are needed in namespaces that do not exist, or will not soon: nothing can be granted there. */
async function inNamespacesThatAreThere(
  client: PreflightClient,
  rights: readonly NeededRight[],
  signal: AbortSignal,
): Promise<readonly NeededRight[]> {
  const names = [
    ...new Set(rights.flatMap(({ ifThere, namespace = '' }) => (ifThere === true ? [namespace] : []))),
  ];
  const there = await inParallel(names, questionsAtOnce, async (name) => mayBeThere(client, name, signal));
  const away = new Set(names.filter((_, index) => there[index] !== true));
  return rights.filter(({ ifThere, namespace = '' }) => ifThere !== true || !away.has(namespace));
}

async function mayBeThere(client: PreflightClient, name: string, signal: AbortSignal): Promise<boolean> {
  try {
    const { body } = await client.raw({ path: `/api/v1/namespaces/${name}`, signal });
    const { metadata } = JSON.parse(body.toString('utf8')) as Namespace;
    return metadata.deletionTimestamp === undefined;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return false;
    // That this may not be read is named with the other rights that are missing.
    if (isApiError(error, 'Forbidden')) return true;
    throw error;
  }
}

function unusable(server: string, error: unknown, passes = mayPass(error)): PreflightError {
  const message = `Cannot use the API server at ${server}: ${explain(error)}`;
  return new PreflightError(message, { mayPass: passes, cause: error });
}

/** An API server that still starts has not read all of its CRDs and roles: what it lacks then does not count. */
async function lacking(
  client: PreflightClient,
  signal: AbortSignal,
  message: string,
): Promise<PreflightError> {
  try {
    await client.raw({ path: '/readyz', signal });
    return new PreflightError(message);
  } catch (error) {
    return new PreflightError(message, { mayPass: mayPass(error) });
  }
}

/** No answer, or one that another try may change. Wrong credentials and a wrong authority stay wrong. */
function mayPass(error: unknown): boolean {
  return isApiError(error) && error.retryable && error.reason !== 'Credentials' && !isUntrusted(error);
}

/** The server's certificate was refused: OpenSSL's verdicts as Node names them, and a name that does not fit. */
function isUntrusted(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause ? String(cause.code) : '';
    if (/CERT|^UNABLE_TO_|_MISMATCH$|^INVALID_/.test(code)) return true;
  }
  return false;
}

function explain(error: unknown): string {
  if (isApiError(error)) {
    if (error.code === 401) return 'it does not accept these credentials (401 Unauthorized).';
    return error.problem;
  }
  return error instanceof Error ? error.message : String(error);
}
