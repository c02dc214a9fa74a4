// The way back: the previous release again, after these sources ran, with their definitions left in place.
import { expect, it } from 'vitest';
import { previousRelease } from '../../../../scripts/release/previous-release.ts';
import { root } from '../../../../scripts/checks.ts';
import { standingObjects } from './standing-objects.ts';
import { folderOf, runsHere, startRelease } from './upgrade-world.ts';

const previous = previousRelease(root);
const to = 'missing' in previous ? `is not tested, because ${previous.missing}:` : `to ${previous.name}`;

it.skipIf('missing' in previous)(
  `a downgrade ${to} restarts no pod and rewrites no object, ends what was in mid rollout, and so does the upgrade after it`,
  { timeout: 1_800_000 },
  async ({ skip }) => {
    if ('missing' in previous) return;
    const folder = await folderOf(previous);
    skip(!runsHere(folder), `${previous.name} needs a newer Kubernetes than this one`);
    await using world = await startRelease(folder);
    await world.upgrade();
    await world.settled();
    const before = await standingObjects(world.client);
    await world.goBack();
    await world.settled();
    expect(await standingObjects(world.client)).toEqual(before);
    await world.upgrade();
    await world.beginRollouts();
    const newPods = await world.podsOfNewTemplates();
    await world.goBack();
    await world.settled();
    expect(await world.podsOfNewTemplates()).toEqual(expect.arrayContaining([...newPods]));
    const after = await standingObjects(world.client);
    await world.upgrade();
    await world.settled();
    expect(await standingObjects(world.client)).toEqual(after);
  },
);
