import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../checks.ts';

function build(...args: readonly string[]): { readonly code: number | null; readonly text: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, 'scripts', 'build.ts'), ...args],
    {
      encoding: 'utf8',
    },
  );
  return { code: status, text: `${stdout}${stderr}` };
}

it('npm run build takes the address of the archives, and prints its usage', () => {
  const { code, text } = build('--downloads', 'https://downloads.example', '--help');
  expect(text).toMatch(/^usage: npm run build .*--downloads URL/);
  expect(code).toBe(0);
});

it.each([[['--download', 'x']], [['dist']], [['--downloads']], [['--downloads', 'somewhere']]])(
  '%s ends it before it builds',
  (args) => {
    const { code, text } = build(...args);
    expect(text).toMatch(/^error: [^\n]*--downloads URL[^\n]*--help[^\n]*\n$/);
    expect(code).toBe(2);
  },
);
