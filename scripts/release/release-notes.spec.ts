import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { root } from '../checks.ts';
import { releaseNotes } from './release-notes.ts';

const changelog = `# Changelog

## Unreleased

## 0.2.0 - 2026-12-24

### Added

- A thing.

## 0.1.0 - 2026-11-30

### Added

- Everything.
`;

describe('the notes of a release', () => {
  it('are the section of its version alone', () => {
    expect(releaseNotes(changelog, '0.2.0')).toBe('Atoll 0.2.0 - 2026-12-24\n\n### Added\n\n- A thing.\n');
    expect(releaseNotes(changelog, '0.1.0')).toContain('Everything');
    expect(releaseNotes(changelog, '2.0')).toBeUndefined();
  });

  it('keep their headings in a tag that is made as docs/contributing/releasing.md says', () => {
    const page = readFileSync(join(root, 'docs/contributing/releasing.md'), 'utf8');
    const [, options = ''] = /release-notes\.ts <version> \| git tag (.*)$/m.exec(page) ?? [];
    const cwd = mkdtempSync(join(tmpdir(), 'atoll-tag-'));
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
    const git = (args: readonly string[], input = ''): string =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
        cwd,
        input,
        encoding: 'utf8',
      });
    git(['init', '--quiet']);
    git(['commit', '--quiet', '--allow-empty', '--message=first']);
    git(['tag', ...options.replace('<version>', '0.2.0').split(' ')], releaseNotes(changelog, '0.2.0'));
    expect(git(['tag', '--list', '--format=%(contents)', 'v0.2.0'])).toContain('\n\n### Added\n\n- A thing.');
  });
});
