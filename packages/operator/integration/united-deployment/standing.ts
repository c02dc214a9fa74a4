import { conditionTypes, unitedDeployments, type UnitedDeploymentStatus } from '@atoll/api';
import type { StreamingClient } from '@atoll/kube';
import { expect } from 'vitest';
import { eventsAbout, eventually as tryUntil, type StandingCondition } from '../set-up/standing.ts';
import { namespace } from './objects.ts';

/** Longer than a status is held back where many objects move, as they do while tests run side by side. */
const patienceMs = 100_000;

/** Tries until it no longer throws; rejects with the last failure. */
export async function eventually<T>(look: () => Promise<T>): Promise<T> {
  return tryUntil(look, patienceMs);
}

/** The status, once it is of the present spec. */
export async function statusOf(client: StreamingClient, name: string): Promise<UnitedDeploymentStatus> {
  const { metadata, status = {} } = await client.get(unitedDeployments, { namespace, name });
  expect(status.observedGeneration).toBe(metadata.generation);
  return status;
}

export function byType(
  conditions: UnitedDeploymentStatus['conditions'] = [],
): Readonly<Record<string, StandingCondition>> {
  return Object.fromEntries(
    conditions.map(({ type = '', status, reason, message }) => [
      type,
      { status: String(status), reason: String(reason ?? ''), message: String(message ?? '') },
    ]),
  );
}

/** The condition Schedulable of each subset. */
export async function schedulable(
  client: StreamingClient,
  name: string,
): Promise<Readonly<Record<string, string | undefined>>> {
  const { subsetStatuses = [] } = await statusOf(client, name);
  return Object.fromEntries(
    subsetStatuses.map((subset) => [
      subset.name,
      byType(subset.conditions)[conditionTypes.schedulable]?.status,
    ]),
  );
}

/** Waits until all matches the spec, and yields the status. */
export async function isReady(client: StreamingClient, name: string): Promise<UnitedDeploymentStatus> {
  return eventually(async () => {
    const status = await statusOf(client, name);
    expect(byType(status.conditions)).toMatchObject({ [conditionTypes.ready]: { status: 'True' } });
    return status;
  });
}

/** Waits until a condition is as wanted, and yields it. */
export async function hasCondition(
  client: StreamingClient,
  name: string,
  type: string,
  wanted: Partial<Record<keyof StandingCondition, unknown>>,
): Promise<StandingCondition> {
  return eventually(async () => {
    const condition = byType((await statusOf(client, name)).conditions)[type];
    expect(condition).toMatchObject(wanted);
    return condition as StandingCondition;
  });
}

/** The notes of the events about an object with a reason, repeated ones once. */
export async function notesOf(
  client: StreamingClient,
  name: string,
  reason: string,
): Promise<readonly string[]> {
  const recorded = (await eventsAbout(client, name, namespace)).filter((event) => event.reason === reason);
  return recorded.map(({ note }) => note ?? '');
}
