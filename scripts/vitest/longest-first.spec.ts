import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../checks.ts';
import { longest, rank } from './longest-first.ts';

it('names files that exist, each once', () => {
  expect(longest.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  expect(new Set(longest).size).toBe(longest.length);
});

it('puts the other files behind those that take long', () => {
  const [first = '', second = ''] = longest;
  const short = 'packages/kube/src/values/quantity.spec.ts';
  expect([short, second, first].toSorted((a, b) => rank(a) - rank(b))).toEqual([first, second, short]);
});
