// `node scripts/run.mjs scripts/used-rights.ts FOLDER`: which test the operator used each of its rights in, from what integration tests left
// in FOLDER (`ATOLL_RIGHTS=FOLDER npm run test:integration -- …`). A run of some tests adds to what is known of the others.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { operatorClusterRoles, operatorRole } from '@atoll/api/install';
import { shippedInstallation } from '@atoll/operator/install';
import { rightsOfRules } from '../packages/operator/src/install/rights-of-rules.ts';
import { root } from './checks.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error(
    'usage: node scripts/run.mjs scripts/used-rights.ts FOLDER, with what ATOLL_RIGHTS=FOLDER npm run test:integration left',
  );
  process.exit(2);
}
const file = join(root, 'packages/operator/src/install/used-rights.txt');
const roles = [...operatorClusterRoles(shippedInstallation.controllers), operatorRole];
const rights = [...new Set(roles.flatMap((role) => rightsOfRules(role.rules)))].toSorted();
const known = new Map(
  (existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []).map((line) => {
    const [right = '', spec = ''] = line.split(': ');
    return [right, spec] as const;
  }),
);
for (const name of readdirSync(folder).toSorted()) {
  const [spec = '', ...used] = readFileSync(join(folder, name), 'utf8').trimEnd().split('\n');
  for (const right of used) if (!known.has(right) && existsSync(join(root, spec))) known.set(right, spec);
}
const lines = rights.flatMap((right) => (known.has(right) ? [`${right}: ${known.get(right)}`] : []));
writeFileSync(file, `${lines.join('\n')}\n`);
for (const right of rights.filter((each) => !known.has(each))) console.log(`nobody used: ${right}`);
