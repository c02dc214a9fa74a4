// `node scripts/run.mjs scripts/release-notes.ts 0.2.0`: prints what CHANGELOG.md has under this version, for its tag.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { releaseNotes } from './release/release-notes.ts';
import { root } from './checks.ts';

const [version = '', ...more] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+$/.test(version) || more.length > 0) {
  console.error('usage: node scripts/run.mjs scripts/release-notes.ts VERSION, as in 0.2.0');
  process.exit(2);
}
const notes = releaseNotes(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version);
if (notes === undefined) {
  console.error(
    `error: CHANGELOG.md has no heading "## ${version} - <date>"; give it to what is under "## Unreleased"`,
  );
  process.exit(1);
}
process.stdout.write(notes);
