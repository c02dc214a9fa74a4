import { groupResourceOf, type KubeObject, type Resource, type StreamingClient } from '@atoll/kube';

/** Events as kubectl reads them. */
interface CoreEvent extends KubeObject {
  readonly reason?: string;
}
const coreEvents: Resource<CoreEvent> = {
  group: '',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  namespaced: true,
};

interface Groups {
  readonly groups: readonly {
    readonly name: string;
    readonly preferredVersion: { readonly version: string };
    readonly versions: readonly { readonly version: string }[];
  }[];
}

interface Served {
  readonly resources: readonly { readonly name: string; readonly kind: string }[];
}

/**
 * The reasons of the events that `kubectl events --for plural.group/name` finds: it asks discovery for the first version that
 * serves the resource, the group's preferred one before all others, and the API server for the events of that very version.
 */
export async function eventsFor(
  client: StreamingClient,
  resource: Resource<KubeObject>,
  namespace: string,
  name: string,
): Promise<readonly (string | undefined)[]> {
  const { apiVersion, kind } = await discovered(client, resource);
  const fields = { kind, apiVersion, name };
  const fieldSelector = Object.entries(fields)
    .map(([field, value]) => `involvedObject.${field}=${value}`)
    .join(',');
  const { items } = await client.list(coreEvents, { namespace, fieldSelector });
  return items.map(({ reason }) => reason);
}

async function discovered(
  client: StreamingClient,
  resource: Resource<KubeObject>,
): Promise<{ readonly apiVersion: string; readonly kind: string }> {
  const read = async <T>(path: string): Promise<T> =>
    JSON.parse((await client.raw({ path })).body.toString('utf8')) as T;
  const { groups } = await read<Groups>('/apis');
  const group = groups.find((each) => each.name === resource.group);
  for (const { version } of group === undefined ? [] : [group.preferredVersion, ...group.versions]) {
    const { resources } = await read<Served>(`/apis/${resource.group}/${version}`);
    const found = resources.find((each) => each.name === resource.plural);
    if (found !== undefined) return { apiVersion: `${resource.group}/${version}`, kind: found.kind };
  }
  throw new Error(`${groupResourceOf(resource)} is not served`);
}
