import type { Clock } from '../clock/clock.ts';
import type { Known } from '../decoder/object-decoder.ts';
import { mediaTypeFor, type Projection } from '../decoder/projection.ts';
import { WatchDecoder } from '../decoder/watch-decoder.ts';
import type { WatchEvent } from '../decoder/watch-event.ts';
import type { KubeObject, Stored } from '../objects/object.ts';
import { groupResourceOf, type Resource } from '../objects/resource.ts';
import { asError, endOfRequest, type StreamEnd } from './stream-end.ts';
import type { StreamingClient, WatchParameters } from '../client/streaming-client.ts';

export interface WatchStream<T extends KubeObject> {
  readonly client: Pick<StreamingClient, 'watch'>;
  readonly resource: Resource<T>;
  readonly projection: Projection<T>;
  readonly known?: Known<T>;
  /** Own writes whose event has not come, by resourceVersion: what it brings is not parsed. */
  readonly awaited?: ReadonlyMap<string, Stored<T>> | undefined;
  readonly parameters: WatchParameters;
  readonly clock: Clock;
  readonly answerMs: number;
  /** Asked at every check, so that a stream can be given less time while it begins; it may only grow. */
  readonly silenceMs: () => number;
  /** Called once the server has accepted the watch. */
  readonly opened: () => void;
  /** Takes an event; what it returns ends the stream. */
  readonly take: (event: WatchEvent<T>) => StreamEnd | undefined;
}

/** Milliseconds beyond the time asked for, after which a server that does not end a watch is left. */
const graceMs = 30_000;

/** Opens one watch and reads it to its end, whatever that is; never rejects. */
export async function readWatchStream<T extends KubeObject>(
  stream: WatchStream<T>,
  signal: AbortSignal,
): Promise<StreamEnd> {
  const { client, resource, parameters, clock } = stream;
  const what = `watch of ${groupResourceOf(resource)}`;
  const cut = new AbortController();
  let silent: Error | undefined;
  const stop = (): void => cut.abort(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();

  const startedAt = clock.monotonic();
  const longestMs = (parameters.timeoutSeconds ?? 600) * 1000 + graceMs;
  let heardAt = startedAt;
  const check = (): void => {
    const now = clock.monotonic();
    const left = Math.min(heardAt + stream.silenceMs(), startedAt + longestMs) - now;
    if (left > 0) {
      cancelCheck = clock.setTimer(left, check);
      return;
    }
    silent = new Error(`the ${what} was silent for ${Math.round((now - heardAt) / 1000)} s`);
    cut.abort(silent);
  };
  let cancelCheck = clock.setTimer(Math.min(stream.silenceMs(), longestMs), check);

  try {
    const { body } = await client.watch(resource, parameters, {
      signal: cut.signal,
      timeoutMs: stream.answerMs,
      accept: mediaTypeFor(stream.projection, 'watch'),
    });
    heardAt = clock.monotonic();
    stream.opened();
    const decoder = new WatchDecoder<T>(resource, stream.projection, stream.known, stream.awaited);
    for await (const chunk of body) {
      heardAt = clock.monotonic();
      let end: StreamEnd | undefined;
      try {
        decoder.push(chunk, (event) => (end ??= stream.take(event)));
      } catch (error) {
        end ??= { why: 'confused', error: asError(error) };
      }
      if (end !== undefined) return end;
      if (cut.signal.aborted) break;
    }
    return silent === undefined ? { why: 'closed' } : { why: 'silent', error: silent };
  } catch (error) {
    if (silent !== undefined) return { why: 'silent', error: silent };
    return endOfRequest(error, parameters.sendInitialEvents === true);
  } finally {
    cancelCheck();
    signal.removeEventListener('abort', stop);
    // Whatever way it ended, the socket must go.
    cut.abort();
  }
}
