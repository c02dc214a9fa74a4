import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { StartCommand } from './start-command.ts';

// Several control planes, one after another.
describe('npm start', { timeout: 400_000 }, () => {
  it.each([
    ['while the control plane starts', '  starting kube-apiserver', 130],
    ['in mid rollout', 'UnitedDaemonSet kube-system/pool-dns in pool', 0],
  ])('ends everything with Ctrl-C %s', async (_, moment, code) => {
    using start = new StartCommand([]);
    await start.shows(moment);
    const begun = performance.now();
    start.interrupt();
    expect(await start.ended(), start.output).toBe(code);
    expect(performance.now() - begun).toBeLessThan(60_000);
    expect(start.lines.at(-1)).toBe('Ending everything …');
    await start.leavesNothing();
  });

  it('starts an operator that dies again, and ends with its last words, and with 1, where it dies again soon', async () => {
    using start = new StartCommand([]);
    await start.shows('UnitedDaemonSet kube-system/pool-dns in pool');
    start.killOperator();
    await start.shows('operator ended by itself (SIGKILL) and was started again');
    start.killOperator();
    expect(await start.ended(), start.output).toBe(1);
    expect(start.output).toMatch(/operator ended by itself \(SIGKILL\)\. Its last output:\n\{.*"msg":/);
    await start.leavesNothing();
  });

  it('leaves nothing when it is killed', async () => {
    using start = new StartCommand([]);
    await start.shows('UnitedDaemonSet kube-system/pool-dns in pool');
    expect(start.processes().length).toBeGreaterThan(6);
    start.interrupt('SIGKILL');
    expect(await start.ended()).toBe(137);
    await start.leavesNothing();
  });
});

describe('the programs of the control plane', () => {
  /** Stands for a Go tool chain: it says its version, and does `script` instead of building. */
  function withGo(script: string): {
    readonly environment: Record<string, string>;
    [Symbol.dispose](): void;
  } {
    const folder = mkdtempSync(join(tmpdir(), 'atoll-go-'));
    const go = `#!/bin/sh\nif [ "$1" = env ]; then echo go1.26.0; exit; fi\n${script}\n`;
    writeFileSync(join(folder, 'go'), go, { mode: 0o755 });
    const nowhere = 'http://127.0.0.1:9';
    return {
      environment: {
        PATH: `${folder}:${process.env['PATH'] ?? ''}`,
        XDG_CACHE_HOME: join(folder, 'cache'),
        KUBEBUILDER_ASSETS: '',
        ATOLL_MIRROR_KUBERNETES: nowhere,
        ATOLL_MIRROR_ETCD: nowhere,
        ATOLL_MIRROR_KWOK: nowhere,
        ATOLL_MIRROR_KWOK_RELEASES: nowhere,
      },
      [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
    };
  }

  it.each([
    ['SIGINT', 130],
    ['SIGKILL', 137],
  ] as const)('are no longer built after %s', async (signal, code) => {
    // A build that has children of its own, as the real one does.
    using go = withGo('sleep 300 & sleep 300');
    using start = new StartCommand(['--once'], { environment: go.environment });
    await start.shows('building etcd (1 of 6)');
    start.interrupt(signal);
    expect(await start.ended(), start.output).toBe(code);
    await start.leavesNothing();
  });

  it('cannot be had: one message with why and what to do', async () => {
    using go = withGo('echo "no such module" >&2; exit 1');
    using start = new StartCommand(['--once'], { environment: go.environment });
    expect(await start.ended()).toBe(1);
    expect(start.output).toMatch(
      /no etcd, .*cannot be built because .*no such module.*Set KUBEBUILDER_ASSETS to a/s,
    );
    expect(start.output).not.toMatch(/^\s+at .*:\d+/m);
    await start.leavesNothing();
  });
});
