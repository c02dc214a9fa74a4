import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { FleetState } from '../fleet/fleet-state.ts';
import type { Terminal } from './full-screen.ts';
import { createScreen, liveScreen, plainScreen } from './screen.ts';

const state: FleetState = {
  pools: [{ name: 'beijing', nodes: 3, readyNodes: 3, taints: [] }],
  workloads: [],
};
const hints = { all: ['look around', 'Ctrl-C ends'], least: ['Ctrl-C ends'] };

/** Keeps what a terminal would show: of the main screen, and of the alternate one while that is open. */
class FakeTerminal extends EventEmitter {
  rows = 10;
  columns = 60;
  written: string[] = [];
  readonly main: string[] = [''];
  alternate: string[] | undefined;

  write(text: string): boolean {
    this.written.push(text);
    // oxlint-disable-next-line no-control-regex -- control sequences are what this is about
    for (const part of text.split(/(\u001b\[\??[\d;]*[A-Za-z])/)) this.#take(part);
    return true;
  }

  #take(part: string): void {
    if (part === '\u001b[?1049h') this.alternate = [];
    else if (part === '\u001b[?1049l') this.alternate = undefined;
    else if (part === '\u001b[2J') this.alternate?.fill('');
    else if (part.endsWith('H') && part.startsWith('\u001b'))
      this.#row = Number.parseInt(part.slice(2), 10) - 1;
    else if (part === '\u001b[J') this.alternate?.splice(this.#row);
    else if (part === '\u001b[2K') this.#line('');
    else if (part.startsWith('\u001b')) return;
    else if (this.alternate === undefined) this.#print(part);
    else this.#line((this.alternate[this.#row] ?? '') + part);
  }

  #row = 0;
  #line(text: string): void {
    if (this.alternate === undefined) this.main[this.main.length - 1] = text;
    else this.alternate[this.#row] = text;
  }

  #print(text: string): void {
    const [first = '', ...rest] = text.replaceAll('\r', '').split('\n');
    this.main[this.main.length - 1] += first;
    this.main.push(...rest);
  }
}

function terminal(): FakeTerminal & Terminal {
  return new FakeTerminal() as FakeTerminal & Terminal;
}

describe('a live screen', () => {
  it('replaces what is going on, and keeps the messages', () => {
    const out = terminal();
    const screen = liveScreen(out, () => 0);
    screen.print('starting');
    screen.progress('etcd');
    screen.progress('kube-apiserver');
    screen.print('started');
    expect(out.main).toEqual(['starting', 'started', '']);
  });

  it('shows the fleet beside the main screen, and leaves its last state there', () => {
    const out = terminal();
    const screen = liveScreen(out, () => 0);
    screen.print('starting');
    screen.show(state, hints);
    screen.print('all is Ready');
    expect(out.alternate).toEqual([
      'Atoll · 1 pool · 3 nodes · 0 s',
      '',
      'POOL      NODES       TAINTS',
      'beijing   3/3 ready   -',
      '',
      'all is Ready',
      '',
      'look around',
      'Ctrl-C ends',
    ]);
    expect(out.main).toEqual(['starting', '']);
    screen.close();
    screen.show(state, hints);
    screen.print('ended');
    expect(out.alternate).toBeUndefined();
    expect(out.main).toEqual([
      'starting',
      'Atoll · 1 pool · 3 nodes · 0 s',
      '',
      'POOL      NODES       TAINTS',
      'beijing   3/3 ready   -',
      '',
      'all is Ready',
      'ended',
      '',
    ]);
  });

  it('writes nothing while nothing changes', () => {
    const out = terminal();
    const screen = liveScreen(out, () => 0);
    screen.show(state, hints);
    out.written = [];
    screen.show(state, hints);
    expect(out.written).toEqual([]);
  });

  it('fits a window that becomes smaller', () => {
    const out = terminal();
    const screen = liveScreen(out, () => 0);
    screen.show(state, hints);
    out.rows = 5;
    out.columns = 20;
    out.emit('resize');
    expect(out.alternate?.filter((line) => line !== '')).toEqual([
      'Atoll · 1 pool · 3 …',
      'beijing 3/3 ready',
      'look around',
      'Ctrl-C ends',
    ]);
    screen.close();
    expect(out.listenerCount('resize')).toBe(0);
  });

  it('keeps the last messages in a window that is too small for the fleet', () => {
    const out = terminal();
    out.rows = 7;
    const screen = liveScreen(out, () => 0);
    screen.show(state, hints);
    screen.print('first');
    screen.print('last');
    expect(out.alternate).toEqual([
      'Atoll · 1 pool · 3 nodes · 0 s',
      'beijing 3/3 ready',
      '',
      'first',
      'last',
      '',
      'Ctrl-C ends',
    ]);
  });
});

describe('a plain screen', () => {
  it('prints each step once, and again when it takes long', () => {
    const written: string[] = [];
    let now = 0;
    const screen = plainScreen({ write: (text: string) => written.push(text) > 0 }, () => now);
    for (now = 0; now <= 20_000; now += 2_000) screen.progress(`building etcd (1 of 6), ${now / 1000}s`);
    screen.progress('starting etcd');
    expect(written).toEqual([
      'building etcd (1 of 6), 0s\n',
      'building etcd (1 of 6), 16s\n',
      'starting etcd\n',
    ]);
  });
});

describe('what others wrote is shown as it is, and obeyed by no terminal', () => {
  const hostile = 'no\u001b[2J\u009b1mroom\nfaked';
  const workload = {
    kind: 'UnitedDeployment',
    namespace: 'default',
    name: 'web',
    image: `nginx${hostile}`,
    ready: false,
    reason: hostile,
    message: hostile,
    places: 'subset',
    children: [{ place: hostile, workloadName: hostile, replicas: 1, ready: 0, updated: 0 }],
  } as const;
  const pool = { name: 'beijing', nodes: 1, readyNodes: 1, taints: [hostile] };
  const hostileState = { pools: [pool], workloads: [workload] };
  // oxlint-disable-next-line no-control-regex -- what a terminal would obey of it
  const obeyed = /no\u001b|\u009b/;

  it.each([true, false])('at a terminal: %s', (isTTY) => {
    const out = Object.assign(terminal(), { isTTY, rows: 30, columns: 200 });
    const screen = createScreen(out as never, {}, () => 0);
    screen.progress(hostile);
    screen.print(`because: ${hostile}`);
    screen.show(hostileState, hints);
    screen.print(`then: ${hostile}`);
    screen.close();
    const text = out.written.join('');
    expect(text).toContain('because: no\\u001b[2J\\u009b1mroom');
    expect(text).toContain('then: no\\u001b[2J\\u009b1mroom');
    expect(text).toContain('nginxno\\u001b[2J\\u009b1mroom\\nfaked');
    expect(text).not.toMatch(obeyed);
  });
});
