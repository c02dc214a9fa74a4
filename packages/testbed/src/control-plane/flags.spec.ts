import { describe, expect, it } from 'vitest';
import { flagArguments } from './flags.ts';

describe('flags', () => {
  it('become arguments, where later layers win and false removes', () => {
    const ours = { port: 1, audit: true, controllers: ['a', 'b'], gone: 'x' };
    expect(flagArguments(ours, undefined, { port: 2, gone: false })).toEqual([
      '--port=2',
      '--audit=true',
      '--controllers=a,b',
    ]);
  });
});
