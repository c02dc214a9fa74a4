import { expect, it } from 'vitest';
import type { WatchEvent } from '../decoder/watch-event.ts';
import type { KubeObject, Stored } from '../objects/object.ts';
import { InitialEvents } from './initial-events.ts';

type Event = Exclude<WatchEvent<KubeObject>, { readonly type: 'BOOKMARK' | 'ERROR' }>;

const metadataOf = (name: string, version: number) => ({
  namespace: 'n',
  name,
  uid: `uid-${name}`,
  resourceVersion: String(version),
  creationTimestamp: '2026-11-01T10:00:00Z',
});
const sent = (type: 'ADDED' | 'MODIFIED' | 'DELETED', name: string, version: number): Event => ({
  type,
  object: { metadata: metadataOf(name, version) } as Stored<KubeObject>,
});
const broken = (change: 'ADDED' | 'MODIFIED' | 'DELETED', name: string, version: number): Event =>
  ({ type: 'UNREADABLE', change, metadata: metadataOf(name, version), error: new Error('broken') }) as Event;

function contentAfter(...events: readonly Event[]): {
  readonly items: string[];
  readonly unreadable: string[];
} {
  const initial = new InitialEvents<KubeObject>();
  for (const event of events) initial.take(event);
  return {
    items: initial.items.map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`),
    unreadable: initial.unreadable.map(({ metadata }) => `${metadata?.name} ${metadata?.resourceVersion}`),
  };
}

it.each([
  {
    title: 'an object that was deleted before they ended is not among them',
    events: [sent('ADDED', 'a', 1), sent('ADDED', 'b', 2), sent('DELETED', 'a', 3)],
    items: ['b 2'],
  },
  {
    title: 'an object that was made again after its deletion is',
    events: [sent('ADDED', 'a', 1), sent('DELETED', 'a', 2), sent('ADDED', 'a', 3)],
    items: ['a 3'],
  },
  {
    title: 'the last version counts',
    events: [sent('ADDED', 'a', 1), sent('MODIFIED', 'a', 2)],
    items: ['a 2'],
  },
  {
    title: 'an object whose last version cannot be read is no item',
    events: [sent('ADDED', 'a', 1), broken('MODIFIED', 'a', 2)],
    unreadable: ['a 2'],
  },
  {
    title: 'it is one again when a later version can be read',
    events: [broken('ADDED', 'a', 1), sent('MODIFIED', 'a', 2)],
    items: ['a 2'],
  },
  {
    title: 'what cannot be read and is deleted is neither',
    events: [sent('ADDED', 'a', 1), broken('DELETED', 'a', 2)],
  },
])('of the events with which a stream begins: $title', ({ events, items = [], unreadable = [] }) => {
  expect(contentAfter(...events)).toEqual({ items, unreadable });
});
