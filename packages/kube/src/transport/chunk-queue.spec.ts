import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ChunkQueue } from './chunk-queue.ts';

function queue() {
  const calls: string[] = [];
  const source = {
    pause: () => void calls.push('pause'),
    resume: () => void calls.push('resume'),
    left: () => void calls.push('left'),
  };
  return { chunks: new ChunkQueue(source), calls };
}

const text = (length: number): Buffer => Buffer.alloc(length, 'x');

it('hands every byte over once, in order, however writes and reads take turns', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom('push', 'read')), async (turns) => {
      const { chunks } = queue();
      const sent: number[] = [];
      const read: Promise<number>[] = [];
      for (const turn of turns) {
        if (turn === 'push') chunks.push(Buffer.from([sent.push(sent.length) - 1]));
        else if (read.length <= sent.length) read.push(chunks.next().then(({ value }) => value?.[0] ?? -1));
      }
      chunks.end();
      const rest: number[] = [];
      const found = await Promise.all(read);
      for await (const chunk of chunks) rest.push(chunk[0] ?? -1);
      expect([...found.filter((each) => each !== -1), ...rest]).toEqual(sent);
    }),
  );
});

it('stops the connection where 64 KiB wait, and lets it go on when all is read', async () => {
  const { chunks, calls } = queue();
  for (let count = 0; count < 3; count++) chunks.push(text(40_000));
  expect(calls).toEqual(['pause']);
  await chunks.next();
  await chunks.next();
  expect(calls).toEqual(['pause']);
  await chunks.next();
  expect(calls).toEqual(['pause', 'resume']);
});

it('fails for who waits and for who comes later; what was not read is lost', async () => {
  const { chunks } = queue();
  const waiting = chunks.next();
  chunks.fail(new Error('cut'));
  await expect(waiting).rejects.toThrow('cut');
  await expect(chunks.next()).rejects.toThrow('cut');

  const other = queue().chunks;
  other.push(text(1));
  other.fail(new Error('cut'));
  other.push(text(1));
  await expect(other.next()).rejects.toThrow('cut');
});

it('reports that its reader left, once, and only before the end', async () => {
  const { chunks, calls } = queue();
  chunks.push(text(1));
  for await (const _ of chunks) break;
  await chunks.return();
  expect(calls).toEqual(['left']);

  const whole = queue();
  whole.chunks.end();
  await whole.chunks.return();
  expect(whole.calls).toEqual([]);
});
