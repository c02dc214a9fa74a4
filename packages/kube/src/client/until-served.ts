import { sleep, systemClock, type Clock } from '../clock/clock.ts';
import type { Stored } from '../objects/object.ts';
import { customResourceDefinitions } from '../objects/resources.ts';
import type { CustomResourceDefinition } from '../types/index.ts';
import { isApiError } from './api-error.ts';
import { boundedRequest } from './bounded-request.ts';
import type { Client } from './client.ts';

/** How long {@link untilServed} waits, and what ends it. */
export interface UntilServedOptions {
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock | undefined;
  /** In milliseconds. Default 30,000. */
  readonly timeoutMs?: number | undefined;
}

const pollMs = 50;

/**
 * Resolves when the API server serves the kinds of these CustomResourceDefinitions, as it does soon after they are written.
 * Rejects with an error that names those which are not served in time, and why; with the `ApiError` of a request that fails; where the
 * signal ends, with its reason.
 */
export async function untilServed(
  client: Pick<Client, 'get'>,
  definitions: readonly string[],
  { signal, clock = systemClock, timeoutMs = 30_000 }: UntilServedOptions = {},
): Promise<void> {
  const deadline = clock.monotonic() + timeoutMs;
  let waiting = definitions;
  for (;;) {
    const reasons: string[] = [];
    const next: string[] = [];
    for (const name of waiting) {
      const why = await inTime(client, name, { signal, clock, deadline });
      if (why === undefined) continue;
      next.push(name);
      reasons.push(`${name}: ${why}`);
    }
    waiting = next;
    if (waiting.length === 0) return;
    signal?.throwIfAborted();
    if (clock.monotonic() >= deadline) {
      throw new Error(
        `The API server does not serve these kinds after ${timeoutMs} ms: ${reasons.join('; ')}`,
      );
    }
    await sleep(clock, pollMs, signal);
  }
}

/** {@link whyNotServed}, also where the API server does not answer before the deadline. */
async function inTime(
  client: Pick<Client, 'get'>,
  name: string,
  at: { readonly signal: AbortSignal | undefined; readonly clock: Clock; readonly deadline: number },
): Promise<string | undefined> {
  const { signal, clock, deadline } = at;
  const leftMs = Math.max(deadline - clock.monotonic(), pollMs);
  try {
    const read = boundedRequest(clock, leftMs, signal, async (options) =>
      readDefinition(client, name, options.signal),
    );
    return whyNotServed(await read);
  } catch (error) {
    signal?.throwIfAborted();
    if (clock.monotonic() < deadline) throw error;
    return 'the API server does not answer';
  }
}

/** The CustomResourceDefinition as the API server has it now; undefined: there is none. */
export async function readDefinition(
  client: Pick<Client, 'get'>,
  name: string,
  signal?: AbortSignal,
): Promise<Stored<CustomResourceDefinition> | undefined> {
  try {
    return await client.get(customResourceDefinitions, { name }, { signal });
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** Why the API server does not serve the kind yet, or ever; undefined: it does. */
function whyNotServed(crd: CustomResourceDefinition | undefined): string | undefined {
  const conditions = crd?.status?.conditions ?? [];
  const refused = conditions.find(
    ({ type, status }) =>
      (type === 'NamesAccepted' && status === 'False') ||
      (type === 'NonStructuralSchema' && status === 'True'),
  );
  if (refused !== undefined) return refused.message ?? refused.reason ?? refused.type;
  const established = conditions.find(({ type }) => type === 'Established');
  return established?.status === 'True' ? undefined : 'not established yet';
}
