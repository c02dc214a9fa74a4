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

/** Sends each state of an upgrade as a server-sent event until the new pod is Ready. */
export class UpgradeStreams {
  readonly #clock: Clock;
  readonly #onChange: (listener: () => void) => () => void;
  #open = 0;

  /** `onChange`: calls the listener when a status may have changed; returns how to stop. */
  constructor(clock: Clock, onChange: (listener: () => void) => () => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  get isFull(): boolean {
    return this.#open >= limits.streams;
  }

  follow(response: ServerResponse, statusNow: () => UpgradeStatus): void {
    this.#open += 1;
    let sent = '';
    const ends: (() => void)[] = [];
    const end = (): void => {
      response.end();
    };
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
        if (response.writableEnded) return;
        response.write(': alive\n\n');
        cancelBeat = beat();
      });
    let cancelBeat = beat();
    response.once('close', () => {
      this.#open -= 1;
      cancelBeat();
      for (const stop of ends) stop();
    });
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    ends.push(this.#clock.setTimer(limits.longestMs, end), this.#onChange(send));
    send();
  }
}
