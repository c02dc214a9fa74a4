import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { eventually, FollowedResource } from './followed-resource.ts';

const watches = { verb: 'watch', resource: 'configmaps' } as const;

export interface Leak {
  readonly openWatches: Readonly<Record<string, number>>;
  readonly openConnections: number;
  /** By how many bytes the heap grew with the cuts after the first ones. */
  readonly grown: number;
}

/** Cuts an informer's watch in mid-event so many times, and returns what is open and held afterwards. */
export async function cutOften(cuts: { readonly first: number; readonly more: number }): Promise<Leak> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  await using followed = await FollowedResource.open({ firstPauseMs: 5, longestPauseMs: 20 });
  const used = async (rounds: number): Promise<number> => {
    const cut = followed.proxy.endWatches(watches, { how: 'cut-in-mid-event', times: rounds });
    await eventually(
      () => cut.hits === rounds,
      () => `${rounds} cuts, had ${cut.hits}`,
      180_000,
    );
    cut.remove();
    collect();
    return process.memoryUsage().heapUsed;
  };
  let stopped = false;
  const changes = (async () => {
    for (let round = 0; !stopped; round++) await followed.churn(`round-${round % 1000}`, 2, 3);
  })();
  const before = await used(cuts.first);
  const after = await used(cuts.more);
  stopped = true;
  await changes;
  await followed.caughtUp();
  const { openConnections, openWatches } = followed.proxy.traffic();
  return { openWatches, openConnections, grown: after - before };
}

/** What was heard and written is kept by the test, a few hundred bytes a round. */
export const keptByTheTest = 8_000_000;
