import type { WriteStream } from 'node:tty';
import type { FleetState } from './fleet-state.ts';
import { LiveRegion } from './live-region.ts';
import { narrateFleet } from './narrate-fleet.ts';
import { renderFleet } from './render-fleet.ts';

/** Where `npm start` tells what happens: drawn over itself on a terminal, plain lines elsewhere. */
export interface Screen {
  say(line: string): void;
  show(state: FleetState): void;
}

export function createScreen(out: WriteStream): Screen {
  return out.isTTY ? liveScreen(out) : plainScreen(out);
}

function liveScreen(out: WriteStream): Screen {
  const region = new LiveRegion(out);
  const started = performance.now();
  return {
    say: (line) => region.print(line),
    show: (state) => region.draw(renderFleet(state, Math.floor((performance.now() - started) / 1000))),
  };
}

function plainScreen(out: Pick<WriteStream, 'write'>): Screen {
  let shown: FleetState | undefined;
  return {
    say: (line) => void out.write(`${line}\n`),
    show(state) {
      for (const line of narrateFleet(shown, state)) out.write(`${line}\n`);
      shown = state;
    },
  };
}
