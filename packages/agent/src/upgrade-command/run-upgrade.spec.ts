import { describe, expect, it } from 'vitest';
import type { UpgradeStatus } from '../ota/upgrade-status.ts';
import { upgradablePod } from '../pods/pod.fixture.ts';
import { runUpgrade } from './run-upgrade.ts';

const oldUID = 'uid-1';
const waiting: UpgradeStatus = { state: 'waiting', oldUID };
const ready: UpgradeStatus = { state: 'ready', oldUID, newPod: { name: 'agent-y2', uid: 'uid-2' } };

const both = [upgradablePod(), upgradablePod({ metadata: { name: 'agent-x2' } })];

function world(
  streams: readonly (readonly UpgradeStatus[] | Error)[],
  refused: readonly string[] = [],
  upgradable = both,
  code = 403,
) {
  const lines: string[] = [];
  const asked: string[] = [];
  let opened = 0;
  const api = {
    upgradablePods: async () => upgradable,
    upgrade: async (namespace: string, name: string) => {
      asked.push(`${namespace}/${name}`);
      return refused.includes(name) ? { code, body: 'Pre check failed' } : { code: 200, body: 'Start' };
    },
    async *follow() {
      const stream = streams[Math.min(opened, streams.length - 1)] ?? [];
      opened += 1;
      if (stream instanceof Error) throw stream;
      yield* stream;
    },
  };
  const run = async (pods: readonly string[], all = false, timeoutMs = 60_000): Promise<number> =>
    runUpgrade(api, { pods, all, namespace: 'edge', timeoutMs }, (line) => void lines.push(line));
  return { run, lines, asked };
}

describe('upgrade', () => {
  it('lists what can be upgraded, and upgrades nothing, where no pod is named', async () => {
    const { run, lines, asked } = world([]);
    expect(await run([])).toBe(0);
    expect(lines).toEqual(['edge/agent-x1', 'edge/agent-x2']);
    expect(asked).toEqual([]);
  });

  it('passes over a pod that left its DaemonSet, as by another label, and still asks to be upgraded', async () => {
    const left = upgradablePod({ metadata: { name: 'agent-x0', ownerReferences: [] } });
    const { run, lines, asked } = world([[ready]], ['agent-x0'], [left, ...both]);
    expect(await run([], true)).toBe(0);
    expect(asked).toEqual(['edge/agent-x1', 'edge/agent-x2']);
    lines.length = 0;
    expect(await run([])).toBe(0);
    expect(lines).toEqual(['edge/agent-x1', 'edge/agent-x2']);
  });

  it('upgrades one after the other and prints how far each is', async () => {
    const { run, lines, asked } = world([[{ state: 'deleting', oldUID }, waiting, ready]]);
    expect(await run([], true)).toBe(0);
    expect(asked).toEqual(['edge/agent-x1', 'edge/agent-x2']);
    expect(lines.slice(0, 3)).toEqual([
      'edge/agent-x1: is being deleted',
      'edge/agent-x1: deleted; waiting until the new pod is Ready',
      'edge/agent-x1: upgraded; edge/agent-y2 is Ready',
    ]);
  });

  it('opens a stream that broke again', async () => {
    const { run, lines } = world([[waiting], new Error('cannot reach the agent'), [ready]]);
    expect(await run(['other/agent-x1'])).toBe(0);
    expect(lines.at(-1)).toBe('other/agent-x1: upgraded; other/agent-y2 is Ready');
  });

  it('of named pods ends with the first that is refused', async () => {
    const { run, lines, asked } = world([[ready]], ['agent-x1']);
    expect(await run(['agent-x1', 'agent-x2'])).toBe(1);
    expect(asked).toEqual(['edge/agent-x1']);
    expect(lines).toEqual(['edge/agent-x1: not upgraded (403): Pre check failed']);
  });

  it.each([
    [403, 'its images could not be pulled'],
    [404, 'somebody else has upgraded it'],
  ])('of all pods goes on after one that is refused for itself (%i): %s', async (code) => {
    const { run, lines, asked } = world([[ready]], ['agent-x1'], both, code);
    expect(await run([], true)).toBe(1);
    expect(asked).toEqual(['edge/agent-x1', 'edge/agent-x2']);
    expect(lines).toEqual([
      `edge/agent-x1: not upgraded (${code}): Pre check failed`,
      'edge/agent-x2: upgraded; edge/agent-y2 is Ready',
      '1 of 2 pods are not upgraded',
    ]);
  });

  it.each([
    [401, 'the agent takes no request'],
    [500, 'the deletion failed'],
    [503, 'the node is disconnected'],
  ])('of all pods ends where the next would fail likewise (%i): %s', async (code) => {
    const { run, lines, asked } = world([[ready]], ['agent-x1'], both, code);
    expect(await run([], true)).toBe(1);
    expect(asked).toEqual(['edge/agent-x1']);
    expect(lines.at(-1)).toBe('2 of 2 pods are not upgraded');
  });

  it('of all pods ends with one whose new pod is not Ready in time', async () => {
    const { run, lines, asked } = world([[waiting]]);
    expect(await run([], true, 50)).toBe(1);
    expect(asked).toEqual(['edge/agent-x1']);
    expect(lines.at(-1)).toBe('2 of 2 pods are not upgraded');
  });

  it('prints nothing that a terminal obeys', async () => {
    const named = [upgradablePod({ metadata: { name: 'x\u001b[2J' } })];
    const listed = world([], [], named);
    await listed.run([]);
    expect(listed.lines).toEqual(['edge/x\\u001b[2J']);
    const newPod = { name: 'y\u001b]0;title\u0007', uid: 'uid-2' };
    const followed = world([[{ state: 'ready', oldUID, newPod }]]);
    await followed.run(['agent-x1']);
    expect(followed.lines).toEqual(['edge/agent-x1: upgraded; edge/y\\u001b]0;title\\u0007 is Ready']);
  });

  it('ends where the agent has lost the deletion', async () => {
    const { run, lines } = world([new Error('cannot reach the agent'), [{ state: 'none' }]]);
    expect(await run(['agent-x1'])).toBe(1);
    expect(lines.at(-1)).toMatch(/not upgraded/);
  });

  it('ends when the new pod is not Ready in time', async () => {
    const { run, lines } = world([[waiting]]);
    expect(await run(['agent-x1'], false, 50)).toBe(1);
    expect(lines.at(-1)).toMatch(/not Ready after/);
  });
});
