import type { WriteStream } from 'node:tty';
import { visible, visibleInLine } from '@atoll/kube/command-line';
import { fitLine } from './fit-text.ts';
import type { FleetState } from '../fleet/fleet-state.ts';
import { FullScreen, type Terminal } from './full-screen.ts';
import { narrateFleet } from '../fleet/narrate-fleet.ts';
import { idOf, renderFleet } from '../fleet/render-fleet.ts';

/** Where `npm start` shows what happens: a view of the whole terminal, or plain lines where there is none. */
export interface Screen {
  /** A line that stays. */
  print(line: string): void;
  /** What is going on right now; the next one takes its place. */
  progress(text: string): void;
  /** `hints`: what a person can do now. Only a terminal shows them. */
  show(state: FleetState, hints: Hints): void;
  /** Ends the view for good; what it showed last and what was printed meanwhile stay readable. */
  close(): void;
}

/** What a person can do: all of it, and what has to be seen even in a small terminal. */
export interface Hints {
  readonly all: readonly string[];
  readonly least: readonly string[];
}

/** `now` in milliseconds. */
export function createScreen(
  out: WriteStream,
  environment: Readonly<Record<string, string | undefined>>,
  now: () => number,
): Screen {
  const live = out.isTTY && environment['TERM'] !== 'dumb';
  return obeyingNobody(live ? liveScreen(out, now) : plainScreen(out, now));
}

/** The screen for text that holds what others wrote: images, reasons, messages. Control characters of it are spelt out, before any of ours are added. */
function obeyingNobody(screen: Screen): Screen {
  const spelt = (_: string, value: unknown): unknown =>
    typeof value === 'string' ? visibleInLine(value) : value;
  return {
    print(text) {
      for (const line of visible(text).split('\n')) screen.print(line);
    },
    progress: (text) => screen.progress(visibleInLine(text)),
    show: (state, hints) => screen.show(JSON.parse(JSON.stringify(state), spelt) as FleetState, hints),
    close: () => screen.close(),
  };
}

/** How many of the last lines printed are in the view. */
const linesShown = 3;

export function liveScreen(out: Terminal, now: () => number): Screen {
  const view = new FullScreen(out);
  const started = now();
  const printed: string[] = [];
  let last: { readonly state: FleetState; readonly hints: Hints } | undefined;
  let pending = false;
  let closed = false;
  /** Workloads by their last change, the newest first. */
  let newest: readonly string[] = [];
  const body = (state: FleetState, room?: number): readonly string[] =>
    renderFleet(state, Math.floor((now() - started) / 1000), room, newest);
  const finishLine = (): void => {
    if (pending) out.write('\r\u001b[2K');
    pending = false;
  };
  const draw = (): void => {
    if (last === undefined) return;
    const { state, hints } = last;
    // What was printed last is what a person is to look at: it stays visible where the fleet does not fit.
    const foot = (lines: readonly string[], hint: readonly string[]): readonly string[] => [
      ...(lines.length === 0 ? [] : ['', ...lines]),
      '',
      ...hint,
    ];
    const feet = [foot(printed.slice(-linesShown), hints.all), foot(printed.slice(-linesShown), hints.least)];
    view.draw((rows) => body(state, rows), [...feet, foot(printed.slice(-1), hints.least)]);
  };
  return {
    print(line) {
      finishLine();
      if (!view.open) return void out.write(`${line}\n`);
      printed.push(line);
      draw();
    },
    progress(text) {
      if (view.open) return;
      out.write(`\r\u001b[2K${fitLine(text, (out.columns || 80) - 1)}`);
      pending = true;
    },
    show(state, hints) {
      if (closed) return;
      finishLine();
      const changed = changedIn(last?.state, state);
      newest = [...changed, ...newest.filter((id) => !changed.includes(id))];
      last = { state, hints };
      draw();
    },
    close() {
      finishLine();
      closed = true;
      if (!view.open || last === undefined) return;
      view.close();
      for (const line of [...body(last.state), '', ...printed]) out.write(`${line}\n`);
    },
  };
}

function changedIn(before: FleetState | undefined, after: FleetState): readonly string[] {
  const old = new Set(before?.workloads.map((workload) => JSON.stringify(workload)));
  return after.workloads.filter((workload) => !old.has(JSON.stringify(workload))).map(idOf);
}

/** The same step is printed again only after so many milliseconds. */
const repeatMs = 15_000;

export function plainScreen(out: Pick<WriteStream, 'write'>, now: () => number): Screen {
  let shown: FleetState | undefined;
  let step = '';
  let toldAt = 0;
  return {
    print: (line) => void out.write(`${line}\n`),
    progress(text) {
      // `building etcd (1 of 6), 12s: …`: what is before the comma is the step, the rest moves.
      const next = text.split(',', 1)[0] ?? text;
      if (next === step && now() - toldAt < repeatMs) return;
      step = next;
      toldAt = now();
      out.write(`${text}\n`);
    },
    show(state) {
      for (const line of narrateFleet(shown, state)) out.write(`${line}\n`);
      shown = state;
    },
    close: () => undefined,
  };
}
