// `node scripts/run.mjs scripts/set-version.ts 0.2.0`: writes the version of a release into every file that names it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './checks.ts';
import { filesWithVersion, withVersion } from './release/version-places.ts';

const [version = '', ...more] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+$/.test(version) || more.length > 0) {
  console.error('usage: node scripts/run.mjs scripts/set-version.ts VERSION, as in 0.2.0');
  process.exit(2);
}
for (const path of filesWithVersion()) {
  const file = join(root, path);
  const text = readFileSync(file, 'utf8');
  const changed = withVersion(text, version);
  if (changed === text) continue;
  writeFileSync(file, changed);
  console.log(`wrote ${path}`);
}
console.log('Now: npm install --package-lock-only --ignore-scripts && npm run generate');
