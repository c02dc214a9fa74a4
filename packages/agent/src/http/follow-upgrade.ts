import type { ServerResponse } from 'node:http';
import type { Clock } from '@atoll/kube';
import type { UpgradeStatus } from '../ota/upgrade-status.ts';

const limits = {
  streams: 16,
  /** The caller connects again after this time, in milliseconds. */
  longestMs: 15 * 60_000,
  /** Between comments that show that the connection lives, in milliseconds. */
  heartbeatMs: 15_000,
} as const;

interface Stream {
  readonly caller: string;
  readonly end: () => void;
}

/** Sends each state of an upgrade as a server-sent event until the new pod is Ready. */
export class UpgradeStreams {
  readonly #clock: Clock;
  readonly #onChange: (listener: () => void) => () => void;
  /** The oldest first. */
  readonly #open = new Set<Stream>();

  /** `onChange`: calls the listener when a status may have changed; returns how to stop. */
  constructor(clock: Clock, onChange: (listener: () => void) => () => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** Where there are too many, the oldest one of the caller with the most is ended: who holds many keeps nobody else out. */
  follow(response: ServerResponse, caller: string, statusNow: () => UpgradeStatus): void {
    if (this.#open.size >= limits.streams) this.#oldestOfMost()?.end();
    let sent = '';
    const stops: (() => void)[] = [];
    const forget = (): void => {
      this.#open.delete(stream);
      for (const stop of stops.splice(0)) stop();
    };
    const end = (): void => {
      // What was ended is not closed before what it answers is through.
      forget();
      response.end();
    };
    const stream: Stream = { caller, end };
    const send = (): void => {
      if (response.writableEnded) return;
      const status = statusNow();
      const data = JSON.stringify(status);
      if (data !== sent) response.write(`event: status\ndata: ${data}\n\n`);
      sent = data;
      if (status.state === 'ready' || status.state === 'none') end();
    };
    const beat = (): (() => void) =>
      this.#clock.setTimer(limits.heartbeatMs, () => {
        response.write(': alive\n\n');
        cancelBeat = beat();
      });
    let cancelBeat = beat();
    this.#open.add(stream);
    // A listener may be called before this returns.
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    stops.push(() => cancelBeat(), this.#clock.setTimer(limits.longestMs, end), this.#onChange(send));
    response.once('close', forget);
    send();
  }

  #oldestOfMost(): Stream | undefined {
    const counts = new Map<string, number>();
    for (const { caller } of this.#open) counts.set(caller, (counts.get(caller) ?? 0) + 1);
    const most = Math.max(...counts.values());
    return [...this.#open].find(({ caller }) => counts.get(caller) === most);
  }
}
