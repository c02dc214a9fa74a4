import type { StreamingClient } from '@atoll/kube';
import { behindAgents } from './agents/agent-checks.ts';
import type { NodeAgent } from './agents/node-agent.ts';
import type { Subject } from './subjects/subject.ts';
import { untilNoneOpen } from './until-none-open.ts';

/** Yields what is not as wanted when so many milliseconds are over, a line each; empty as soon as all is. */
export async function untilSettled(
  client: StreamingClient,
  subjects: readonly Subject[],
  ms: number,
  agents: readonly NodeAgent[] = [],
): Promise<readonly string[]> {
  const look = async (): Promise<readonly string[]> => {
    const open: string[] = await behindAgents(client, agents);
    for (const subject of subjects)
      open.push(
        ...(await subject
          .unsettled(client)
          .catch((error: unknown) => [`${subject.kind}: cannot be read: ${String(error)}`])),
      );
    return open;
  };
  return untilNoneOpen(look, ms, 500);
}
