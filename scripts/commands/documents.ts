import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stepsOf, type DocumentedSteps } from './steps-of.ts';

export const root = join(import.meta.dirname, '..', '..');

/** All documents of this tree, but for the history of it. */
export function documentPaths(): readonly string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'];
  return String(execFileSync('git', args, { cwd: root }))
    .split('\n')
    .filter((path) => path !== '' && path !== 'CHANGELOG.md' && existsSync(join(root, path)));
}

export function stepsOfDocument(path: string): DocumentedSteps {
  return stepsOf(readFileSync(join(root, path), 'utf8'));
}
