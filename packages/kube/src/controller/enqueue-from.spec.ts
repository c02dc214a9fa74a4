import { expect, it } from 'vitest';
import { enqueueFrom, type KeySource } from './enqueue-from.ts';
import { lowPriority, type AddOptions } from './work-queue.ts';

type Enqueue = Parameters<KeySource['subscribe']>[0];

function connected(count: number) {
  const added: (readonly [string, AddOptions | undefined])[] = [];
  const sources: Enqueue[] = [];
  const stopped: number[] = [];
  const end = new AbortController();
  const source = (index: number): KeySource => ({
    subscribe: (enqueue) => {
      sources.push(enqueue);
      enqueue([`initial-${index}`], { urgent: true });
      // What others have meanwhile is no beginning of theirs.
      sources[0]?.([`seen-at-${index}`]);
      return () => void stopped.push(index);
    },
  });
  const queue = { add: (key: string, how?: AddOptions) => void added.push([key, how]) };
  enqueueFrom(
    Array.from({ length: count }, (_, index) => source(index)),
    queue,
    end.signal,
  );
  return { added, sources, stopped, end };
}

it('what a source has at the beginning stands behind what others bring meanwhile', () => {
  expect(connected(2).added).toEqual([
    ['initial-0', { urgent: true, priority: lowPriority }],
    ['seen-at-0', { priority: lowPriority }],
    ['initial-1', { urgent: true, priority: lowPriority }],
    ['seen-at-1', undefined],
  ]);
});

it('what comes later is added as the source asks, until the signal ends', () => {
  const { added, sources, stopped, end } = connected(1);
  added.length = 0;
  sources[0]?.(['a', 'b'], { priority: 1, urgent: true });
  expect(added).toEqual([
    ['a', { priority: 1, urgent: true }],
    ['b', { priority: 1, urgent: true }],
  ]);
  expect(stopped).toEqual([]);
  end.abort();
  expect(stopped).toEqual([0]);
});
