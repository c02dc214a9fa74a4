import { expect, test } from 'vitest';
import { cutOften, keptByTheTest } from './cut-often.ts';

test(
  'an informer leaks neither sockets nor memory over a long run of faults',
  { timeout: 240_000 },
  async () => {
    const { openWatches, openConnections, grown } = await cutOften({ first: 50, more: 250 });
    expect(openWatches).toEqual({ configmaps: 1 });
    expect(openConnections).toBeLessThanOrEqual(3);
    expect(grown).toBeLessThan(keptByTheTest);
  },
);
