import {
  groupResourceOf,
  inParallel,
  isApiError,
  mayI,
  rulesIn,
  type AllowedRules,
  type PolicyRule,
  type StreamingClient,
} from '@atoll/kube';
import type { NeededRight } from './preflight.ts';

/** A server that is busy has others to answer too: the leader, which renews its Lease, above all. */
export const questionsAtOnce = 8;

/** So many of the authorizer's own reasons are named. */
const namedReasons = 3;

/** Rights that are not granted, for people. */
export interface RefusedRights {
  /** Each as `create, patch deployments.apps in edge`; a namespace in which nothing is allowed is named once. */
  readonly missing: readonly string[];
  /** Of the authorizer, each once: a role that does not exist, a webhook that did not answer. */
  readonly because: readonly string[];
}

/**
 * Asks which rights are not granted. In each namespace all rights that it has are asked for together, and only what these do not show is
 * asked for one by one: a cluster may have hundreds of namespaces. `granted`: these are not asked for; those that are granted now come in.
 */
export async function refusedRights(
  client: Pick<StreamingClient, 'raw'>,
  rights: readonly NeededRight[],
  signal: AbortSignal,
  granted = new Set<NeededRight>(),
): Promise<RefusedRights> {
  const reasons = new Set<string>();
  const refused = await withoutRules(client, rights, signal, granted);
  const asked = rights.filter((right) => !granted.has(right) && !refused.has(right));
  await inParallel(asked, questionsAtOnce, async (right) => {
    const { resource, verb, subresource, namespace, name } = right;
    const { group, version, plural } = resource;
    const attributes = {
      group,
      version,
      resource: plural,
      verb,
      ...(subresource === undefined ? {} : { subresource }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(name === undefined ? {} : { name }),
    };
    const { allowed, reason } = await mayI(client, attributes, { signal });
    if (allowed) granted.add(right);
    else if (reason !== undefined && reason !== '') reasons.add(reason);
  });
  return { missing: describeMissing(rights, granted), because: [...reasons].sort().slice(0, namedReasons) };
}

/** Asks once in each namespace where many rights are needed. Yields those that no rule grants where there are no others. */
async function withoutRules(
  client: Pick<StreamingClient, 'raw'>,
  rights: readonly NeededRight[],
  signal: AbortSignal,
  granted: Set<NeededRight>,
): Promise<ReadonlySet<NeededRight>> {
  const open = rights.filter(({ ifThere }) => ifThere === true).filter((right) => !granted.has(right));
  const inNamespaces = [...Map.groupBy(open, ({ namespace = '' }) => namespace)];
  const refused = new Set<NeededRight>();
  await inParallel(inNamespaces, questionsAtOnce, async ([namespace, needed]) => {
    const { rules, incomplete } = await rulesOf(client, namespace, signal);
    for (const right of needed) {
      if (rules.some((rule) => grants(rule, right))) granted.add(right);
      else if (!incomplete) refused.add(right);
    }
  });
  return refused;
}

async function rulesOf(
  client: Pick<StreamingClient, 'raw'>,
  namespace: string,
  signal: AbortSignal,
): Promise<AllowedRules> {
  try {
    return await rulesIn(client, namespace, { signal });
  } catch (error) {
    // Then each right is asked for by itself: another role may allow that, and not everything that serves the API knows this question.
    if (isApiError(error) && error.code !== 0 && error.code !== 429) return { rules: [], incomplete: true };
    throw error;
  }
}

function grants(
  { verbs, apiGroups = [], resources = [], resourceNames = [] }: PolicyRule,
  { resource: { group, plural }, subresource, verb, name }: NeededRight,
): boolean {
  const resource = subresource === undefined ? plural : `${plural}/${subresource}`;
  const has = (list: readonly string[], ...values: readonly string[]): boolean =>
    list.includes('*') || values.some((value) => list.includes(value));
  return (
    has(verbs, verb) &&
    has(apiGroups, group) &&
    has(resources, resource, ...(subresource === undefined ? [] : [`*/${subresource}`])) &&
    (resourceNames.length === 0 || (name !== undefined && resourceNames.includes(name)))
  );
}

function describeMissing(
  rights: readonly NeededRight[],
  granted: ReadonlySet<NeededRight>,
): readonly string[] {
  const open = new Set(
    rights.filter((right) => right.ifThere === true && granted.has(right)).map(({ namespace }) => namespace),
  );
  const verbsOf = new Map<string, Set<string>>();
  for (const right of rights) {
    if (granted.has(right)) continue;
    const isClosed = right.ifThere === true && !open.has(right.namespace);
    const what = isClosed ? `anything in the namespace ${right.namespace}` : describeObjects(right);
    verbsOf.set(what, (verbsOf.get(what) ?? new Set()).add(isClosed ? 'do' : right.verb));
  }
  return [...verbsOf].map(([what, verbs]) => `${[...verbs].join(', ')} ${what}`).sort();
}

/** `deployments.apps/status`, `leases.coordination.k8s.io in atoll-system`, `leases.coordination.k8s.io atoll-system/atoll`. */
function describeObjects({ resource, subresource, namespace, name }: NeededRight): string {
  const objects = groupResourceOf(resource) + (subresource === undefined ? '' : `/${subresource}`);
  if (namespace === undefined) return name === undefined ? objects : `${objects} ${name}`;
  return name === undefined ? `${objects} in ${namespace}` : `${objects} ${namespace}/${name}`;
}
