import { describe, expect, it } from 'vitest';
import { storyOf } from '../simulation/story.ts';
import { migrationWorld } from '../simulation/worlds/extended-daemon-set/extended-daemon-set-migration-world.ts';
import { extendedDaemonSetWorld } from '../simulation/worlds/extended-daemon-set/extended-daemon-set-world.ts';
import type { ExtendedDaemonSetWorldOptions } from '../simulation/worlds/extended-daemon-set/extended-daemon-set-world.ts';

interface Told extends Omit<ExtendedDaemonSetWorldOptions, 'name'> {
  readonly file: string;
  readonly actions: readonly string[];
}

const canary = { nodes: ['a', 'b', 'c'], canary: 1 } as const;

describe('stories of ExtendedDaemonSets in a fixed order', () => {
  const stories: Readonly<Record<string, Told>> = {
    'a canary is healthy, and its template goes to all nodes': {
      file: 'healthy-canary',
      budgets: { edit: 1 },
      actions: ['sets image v2'],
      ...canary,
    },
    'a canary cannot pull its image and pauses, and a corrected template follows': {
      file: 'paused-canary',
      budgets: { edit: 2 },
      images: ['unpullable', 'v3'],
      actions: ['sets image unpullable', 'sets image v3'],
      ...canary,
    },
    'a canary crashes and fails, and the template goes back': {
      file: 'failed-canary',
      budgets: { edit: 1 },
      images: ['crashing'],
      actions: ['sets image crashing'],
      ...canary,
    },
    'a canary waits until a person validates it': {
      file: 'validated-canary',
      manual: true,
      budgets: { edit: 1, validate: 1 },
      actions: ['sets image v2', 'validates canary'],
      ...canary,
    },
    'the template changes in mid canary': {
      file: 'changed-canary',
      manual: true,
      budgets: { edit: 2, validate: 1 },
      images: ['v2', 'v3'],
      actions: ['sets image v2', 'sets image v3', 'validates canary'],
      ...canary,
    },
    'the node of a canary goes away before its pod started there, and is back later': {
      file: 'canary-node-away',
      manual: true,
      withoutImage: { a: 'v2' },
      staysAway: true,
      budgets: { edit: 1, away: 1, back: 1 },
      actions: ['sets image v2', 'a goes away', 'a is back'],
      ...canary,
    },
    'a canary loses its node': {
      file: 'canary-without-node',
      manual: true,
      budgets: { edit: 1, remove: 1 },
      actions: ['sets image v2', 'deletes Node a'],
      ...canary,
    },
  };
  it.each(Object.entries(stories))('%s', async (name, { file, actions, ...row }) => {
    const story = storyOf(extendedDaemonSetWorld({ name: `ExtendedDaemonSet: ${name}`, ...row }), actions);
    expect(story.missing ?? story.wrong).toBeUndefined();
    await expect(story.text).toMatchFileSnapshot(`stories/extended-daemon-set/${file}.txt`);
  });

  it('a DaemonSet is deleted, and its pods are taken over', async () => {
    const world = migrationWorld({
      name: 'ExtendedDaemonSet: a DaemonSet is deleted, and its pods are taken over',
      budgets: { 'hand over': 1 },
      lag: 0,
    });
    const story = storyOf(world, ['deletes the DaemonSet']);
    expect(story.missing ?? story.wrong).toBeUndefined();
    await expect(story.text).toMatchFileSnapshot('stories/extended-daemon-set/migration.txt');
  });
});
