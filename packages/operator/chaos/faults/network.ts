import type { Fault, RequestMatch } from '@atoll/testbed';
import { pick } from '../subjects/subject.ts';
import type { ChaosFault, ChaosWorld, Replica } from './chaos-world.ts';

const someReplica = ({ replicas, random }: ChaosWorld): Replica => pick(replicas, random);

/** Some of all requests, for a while. */
function answers(
  name: string,
  share: number,
  ms: number,
  fault: Fault,
  match: RequestMatch = {},
): ChaosFault {
  return {
    name,
    run: async ({ replicas, random, wait }) => {
      const where = (): boolean => random() < share;
      const injections = replicas.map(({ proxy }) => proxy.inject({ ...match, where }, fault));
      await wait(ms);
      for (const injection of injections) injection.remove();
    },
  };
}

export const networkFaults: readonly ChaosFault[] = [
  answers('429-storm', 0.5, 8_000, { do: 'refuse', code: 429, retryAfterSeconds: 1 }),
  answers('500', 0.2, 8_000, { do: 'refuse', code: 500 }),
  answers('504-applied', 0.2, 8_000, { do: 'refuse', code: 504, effect: 'applied' }, { verb: 'write' }),
  answers('lost-answers', 0.1, 8_000, { do: 'lose-response' }, { verb: 'write' }),
  answers('half-open', 0.05, 8_000, { do: 'half-open' }, { verb: 'write' }),
  answers('slow-writes', 0.1, 8_000, { do: 'slow', latencyMs: 30_000 }, { verb: 'write' }),
  {
    name: 'cut',
    run: async (world) => {
      const { proxy } = someReplica(world);
      proxy.cut();
      await world.wait(1_000 + world.random() * 6_000);
      proxy.heal();
    },
  },
  {
    name: 'black-hole',
    run: async (world) => {
      const { proxy } = someReplica(world);
      proxy.freeze();
      await world.wait(2_000 + world.random() * 10_000);
      proxy.heal();
    },
  },
  {
    name: 'watches-end',
    run: async ({ replicas, random, wait }) => {
      const how = random() < 0.5 ? 'cut' : 'cut-in-mid-event';
      const cuts = replicas.map(({ proxy }) => proxy.endWatches({}, { how, afterEvents: 2, times: 20 }));
      await wait(6_000);
      for (const cut of cuts) cut.remove();
    },
  },
  {
    // The store of these runs forgets what is older than a minute: an operator that is away for longer has to list again.
    name: 'compacted',
    run: async (world) => {
      const { proxy } = someReplica(world);
      proxy.cut();
      await world.wait(75_000);
      proxy.heal();
    },
  },
];
