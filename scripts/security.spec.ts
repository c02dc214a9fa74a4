// Each answer of the threat model names the test that shows it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from './checks.ts';

const page = readFileSync(join(root, 'docs/operating/security.md'), 'utf8');
const named = [...page.matchAll(/`(packages\/[^`]+\.spec\.ts)`: ([^|;\n]+)/g)].map(
  ([, file = '', title = '']) => [file, title.trim()] as const,
);

it('the threat model names tests', () => {
  expect(named.length).toBeGreaterThan(15);
});

it.each(named)('%s has a test "%s"', (file, title) => {
  expect(readFileSync(join(root, file), 'utf8').includes(title)).toBe(true);
});
