// A short cut of `npm run fuzz`: hostile objects of every kind, the same each time. `ATOLL_SEED=n` makes others.
import { expect, it } from 'vitest';
import { describeBatch } from '../../fuzz/describe-run.ts';
import { runFuzz } from '../../fuzz/run-fuzz.ts';
import { seedOf } from '../set-up/random.ts';

it(
  'hostile objects of every kind are answered, and nobody else waits for them',
  { timeout: 600_000 },
  async () => {
    const seed = seedOf(process.env['ATOLL_SEED'] ?? '2');
    const options = { objects: 28, atOnce: 28, changed: 8, answerMs: 240_000, seed };
    const batches = await runFuzz(options, (batch) => {
      console.log(describeBatch(batch));
    });
    const wrong = batches.flatMap((batch) => batch.wrong);
    expect(wrong, `ATOLL_SEED=${seed}`).toEqual([]);
  },
);
