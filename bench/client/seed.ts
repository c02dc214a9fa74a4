import { open } from 'node:fs/promises';
import {
  inParallel,
  namespaces,
  pods,
  systemClock,
  type Clock,
  type Pod,
  type StreamingClient,
} from '@atoll/kube';
import { namespaceCount, podOf, statusOf } from './pod.ts';

const writers = 14;

/** A watch brings a change within milliseconds. */
const patienceMs = 60_000;

/** Creates the pods, without a status. */
export async function createPods(client: StreamingClient, count: number): Promise<void> {
  for (let at = 0; at < namespaceCount; at++)
    await client.create(namespaces, { metadata: { name: `team-${at}` } });
  await inParallel(
    [...Array(count).keys()],
    writers,
    async (index) => void (await client.create(pods, podOf(index))),
  );
}

/**
 * Changes the status of the pods `count` times in all, round by round, while a watch's bytes go to `file` as the API
 * server sends them. Yields the bytes. Rejects where the watch ends before it has brought all changes, or has not brought them a minute after the last.
 */
export async function recordEvents(
  client: StreamingClient,
  podCount: number,
  count: number,
  file: string,
  clock: Pick<Clock, 'setTimer'> = systemClock,
): Promise<number> {
  const { metadata } = JSON.parse((await client.raw({ path: '/api/v1/pods?limit=1' })).body.toString()) as {
    readonly metadata: { readonly resourceVersion: string };
  };
  const stop = new AbortController();
  const late = Promise.withResolvers<never>();
  let cancel = (): void => undefined;
  try {
    const options = { resourceVersion: metadata.resourceVersion, timeoutSeconds: 3600 };
    const { body } = await client.watch(pods, options, stop);
    const recording = new Recording(body, count, file);
    const changing = async (): Promise<void> => {
      await inParallel([...Array(count).keys()], writers, async (at) =>
        changeStatus(client, at % podCount, Math.floor(at / podCount)),
      );
      if (!stop.signal.aborted)
        cancel = clock.setTimer(patienceMs, () =>
          late.reject(
            new Error(
              `the watch brought ${recording.lines} of ${count} events within ${patienceMs / 1000} s`,
            ),
          ),
        );
    };
    const [bytes] = await Promise.race([Promise.all([recording.run(), changing()]), late.promise]);
    return bytes;
  } finally {
    cancel();
    stop.abort();
  }
}

async function changeStatus(client: StreamingClient, index: number, round: number): Promise<void> {
  const { name, namespace = '' } = podOf(index).metadata;
  const body = { status: statusOf(index, round) };
  await client.patch<Pod>(pods, { namespace, name }, { type: 'merge', body }, { subresource: 'status' });
}

/** The bytes of a watch, as they come, in a file. */
class Recording {
  lines = 0;
  readonly #body: AsyncIterable<Uint8Array>;
  readonly #count: number;
  readonly #file: string;

  constructor(body: AsyncIterable<Uint8Array>, count: number, file: string) {
    this.#body = body;
    this.#count = count;
    this.#file = file;
  }

  /** Yields how many bytes there are. Rejects where the watch ends before it has brought so many lines. */
  async run(): Promise<number> {
    await using out = await open(this.#file, 'w');
    let bytes = 0;
    for await (const chunk of this.#body) {
      for (const byte of chunk) if (byte === 0x0a) this.lines++;
      bytes += chunk.length;
      await out.writeFile(chunk);
      if (this.lines >= this.#count) break;
    }
    if (this.lines < this.#count)
      throw new Error(`the watch ended after ${this.lines} of ${this.#count} events`);
    return bytes;
  }
}
