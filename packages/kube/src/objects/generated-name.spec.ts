import { expect, it } from 'vitest';
import { isGeneratedName } from './generated-name.ts';

const long = 'a'.repeat(60);

it.each<[string, string, boolean]>([
  ['web-x7k2p', 'web-', true],
  ['web-2-x7k2p', 'web-', false],
  ['web-x7k2', 'web-', false],
  ['web-X7k2p', 'web-', false],
  ['x7k2p', '', true],
  [`${'a'.repeat(58)}x7k2p`, `${long}-`, true],
  [`${long}-x7k2p`, `${long}-`, false],
])('%s is generated for %s: %s', (name, generateName, expected) => {
  expect(isGeneratedName(name, generateName)).toBe(expected);
});
