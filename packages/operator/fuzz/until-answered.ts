import { setTimeout as delay } from 'node:timers/promises';
import type { StreamingClient } from '@atoll/kube';
import type { Subject } from '../chaos/subjects/subject.ts';
import { untilNoneOpen } from '../chaos/until-none-open.ts';
import type { ChangedObject } from './changed-objects.ts';
import type { Taken } from './sent-objects.ts';

/** Yields the objects that are not answered when so many milliseconds are over, a line each. */
export async function untilAnswered(
  client: StreamingClient,
  taken: readonly (Taken | ChangedObject)[],
  ms: number,
): Promise<readonly string[]> {
  const end = Date.now() + ms;
  let open = taken;
  for (;;) {
    const owed: { readonly each: Taken | ChangedObject; readonly what: string }[] = [];
    for (const each of open) {
      const { resource, unanswered } = each.fuzzed;
      const what = unanswered(await client.get(resource, each.object.metadata));
      if (what !== undefined) owed.push({ each, what });
    }
    open = owed.map(({ each }) => each);
    if (open.length === 0) return [];
    if (Date.now() > end)
      return owed.map(({ each, what }) => {
        const { fuzzed, object } = each;
        const text = JSON.stringify(sentOf(each)).slice(0, 1_500);
        return `${fuzzed.resource.kind} ${object.metadata.name} ${what}: ${text}`;
      });
    await delay(200);
  }
}

function sentOf(each: Taken | ChangedObject): unknown {
  return 'changed' in each ? each.changed : each.object;
}

/** Yields what is not as wanted when so many milliseconds are over, a line each. */
export async function untilServed(
  client: StreamingClient,
  served: readonly Subject[],
  ms: number,
): Promise<readonly string[]> {
  const look = async (): Promise<readonly string[]> => {
    const open: string[] = [];
    for (const subject of served) open.push(...(await subject.unsettled(client)));
    return open;
  };
  return untilNoneOpen(look, ms, 200);
}
