import { isDeepStrictEqual } from 'node:util';
import type { InstallObject } from '@atoll/api/install';
import { installObjects } from '@atoll/operator/install';
import { fieldManagers } from '@atoll/api';
import { formatKey, isApiError, keyOf, type Client, type KubeObject } from '@atoll/kube';

/** What installing does to one object. */
export interface PlannedWrite {
  /** `CustomResourceDefinition nodepools.apps.openyurt.io` */
  readonly object: string;
  readonly action: 'create' | 'update' | 'take over' | 'keep';
  /** With `take over`: the field managers that lose fields, and the Helm release where one made the object. */
  readonly from?: readonly string[];
}

/** What `install()` would do to each of its objects, found out without writing. Rejects with the `ApiError` of a failure. */
export async function planInstallation(
  client: Pick<Client, 'get' | 'apply'>,
  signal: AbortSignal,
): Promise<readonly PlannedWrite[]> {
  return Promise.all(installObjects().map(async (each) => planWrite(client, each, signal)));
}

async function planWrite(
  client: Pick<Client, 'get' | 'apply'>,
  { resource, object: wanted }: InstallObject,
  signal: AbortSignal,
): Promise<PlannedWrite> {
  const object = `${resource.kind} ${formatKey(keyOf(wanted))}`;
  let found: KubeObject;
  try {
    found = await client.get(resource, keyOf(wanted), { signal });
  } catch (error) {
    if (isApiError(error, 'NotFound') || isApiError(error, 'NotServed')) return { object, action: 'create' };
    throw error;
  }
  try {
    const { install: fieldManager } = fieldManagers;
    const applied = await client.apply(resource, wanted, { fieldManager, dryRun: true, signal });
    return { object, action: isDeepStrictEqual(contentOf(applied), contentOf(found)) ? 'keep' : 'update' };
  } catch (error) {
    // Refused for another reason than a conflict: what becomes of it shows when it is written.
    if (!isApiError(error) || error.retryable) throw error;
    const from = [...conflictingManagers(error.status?.details?.causes ?? []), ...releaseOf(found)];
    return from.length === 0 ? { object, action: 'update' } : { object, action: 'take over', from };
  }
}

function conflictingManagers(causes: readonly { readonly message?: string }[]): readonly string[] {
  const managers = causes.map(({ message = '' }) => /conflict with "([^"]+)"/.exec(message)?.[1]);
  return [...new Set(managers.filter((manager) => manager !== undefined))];
}

function releaseOf({ metadata: { annotations = {} } }: KubeObject): readonly string[] {
  const release = annotations['meta.helm.sh/release-name'];
  return release === undefined ? [] : [`Helm release ${release}`];
}

/** Without what the API server counts and keeps beside it. */
function contentOf({ metadata, ...rest }: KubeObject): object {
  const { managedFields: _, resourceVersion: __, generation: ___, ...kept } = metadata;
  return { ...rest, metadata: kept };
}

/** The plan as lines for people; what is taken over comes first. */
export function describePlan(plan: readonly PlannedWrite[]): readonly string[] {
  const of = (action: PlannedWrite['action']): readonly PlannedWrite[] =>
    plan.filter((each) => each.action === action);
  const kept = of('keep').length;
  return [
    ...of('take over').map(({ object, from = [] }) => `  takes over  ${object} from ${from.join(', ')}`),
    ...of('create').map(({ object }) => `  creates     ${object}`),
    ...of('update').map(({ object }) => `  updates     ${object}`),
    ...(kept === 0 ? [] : [`  keeps       ${kept} of its objects as they are`]),
  ];
}
