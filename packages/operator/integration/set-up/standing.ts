import type { NodePool, PoolWorkload } from '@atoll/api';
import { events, type Event, type KubeObject, type Resource, type StreamingClient } from '@atoll/kube';
import { vi } from 'vitest';

/** Tries until it no longer throws, as often as a person would look; rejects with the last failure. */
export async function eventually<T>(look: () => Promise<T>, timeout = 90_000): Promise<T> {
  return vi.waitFor(look, { timeout, interval: 100 });
}

type Conditioned = KubeObject & Pick<NodePool | PoolWorkload, 'status'>;

export interface StandingCondition {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** The conditions of an object by type; empty while its status is of an older spec. */
export async function conditionsOf(
  client: StreamingClient,
  resource: Resource<Conditioned>,
  name: string,
  namespace?: string,
): Promise<Readonly<Record<string, StandingCondition>>> {
  const key = namespace === undefined ? { name } : { namespace, name };
  const { metadata, status } = await client.get(resource, key);
  if (status?.observedGeneration !== metadata.generation) return {};
  const conditions = status?.conditions ?? [];
  return Object.fromEntries(
    conditions.map(({ type = '', status: value, reason, message }) => [
      type,
      { status: String(value), reason: String(reason), message: String(message) },
    ]),
  );
}

/** Events about an object, as `kubectl describe` shows them. */
export async function eventsAbout(
  client: StreamingClient,
  name: string,
  namespace = 'default',
): Promise<readonly Event[]> {
  const { items } = await client.list(events, { namespace });
  return items.filter(({ regarding }) => regarding?.name === name);
}
