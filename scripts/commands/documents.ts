import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stepsOf, type DocumentedSteps } from './steps-of.ts';

export const root = join(import.meta.dirname, '..', '..');

/** All documents of this tree, but for the history of it; examples, because their comments say how to use them. */
export function documentPaths(): readonly string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '*.md', 'examples/*.yaml'];
  return String(execFileSync('git', args, { cwd: root }))
    .split('\n')
    .filter((path) => path !== '' && path !== 'CHANGELOG.md' && existsSync(join(root, path)));
}

export function stepsOfDocument(path: string): DocumentedSteps {
  return stepsOf(textOfDocument(path));
}

/** Markdown; of an example what its comments say, indented as they are. */
export function textOfDocument(path: string): string {
  const text = readFileSync(join(root, path), 'utf8');
  if (!path.endsWith('.yaml')) return text;
  const lines = text.split('\n').map((line) => (line.startsWith('#') ? ` ${line.slice(1)}` : ''));
  return lines.map((line) => (line.trim() === '' ? '' : line)).join('\n');
}
