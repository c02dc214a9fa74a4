// What the previous release left, then these sources over it: nothing restarts, and nothing is rewritten.
import { expect, it } from 'vitest';
import { previousRelease } from '../../../../scripts/release/previous-release.ts';
import { root } from '../../../../scripts/checks.ts';
import { standingObjects } from './standing-objects.ts';
import { changed, isOfChanged, folderOf, runsHere, startRelease } from './upgrade-world.ts';

const previous = previousRelease(root);
const from = 'missing' in previous ? `is not tested, because ${previous.missing}:` : `from ${previous.name}`;

it.skipIf('missing' in previous)(
  `an upgrade ${from} restarts no pod, rewrites no object, and ends what was in mid rollout`,
  { timeout: 900_000 },
  async ({ skip }) => {
    if ('missing' in previous) return;
    const folder = await folderOf(previous);
    skip(!runsHere(folder), `${previous.name} needs a newer Kubernetes than this one`);
    await using world = await startRelease(folder);
    const open = await world.beginRollouts();
    // Of each kind something is cut off in the middle.
    expect(changed.filter((name) => !open.some((line) => line.startsWith(`${name}:`)))).toEqual([]);
    const before = await standingObjects(world.client);
    const newPods = await world.podsOfNewTemplates();
    const since = Date.now();
    await world.upgrade();
    await world.settled();
    expect(await standingObjects(world.client)).toMatchObject(ofOthers(before));
    expect(await world.podsOfNewTemplates()).toEqual(expect.arrayContaining([...newPods]));
    const writes = await world.writesSince(since);
    expect(writes.filter((line) => !isOfChanged(line))).toEqual([]);
  },
);

function ofOthers(standing: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(standing).filter(([name]) => !isOfChanged(name)));
}
