// `npm run test:integration`: the test runner's own arguments, and `--kubernetes v1.x` for another version of the control plane.
import { runCommand } from './checks.ts';

const args = process.argv.slice(2);
const index = args.indexOf('--kubernetes');
if (index >= 0) {
  const [, minor = ''] = args.splice(index, 2);
  if (!/^v?\d+\.\d+$/.test(minor)) {
    console.error(`--kubernetes needs a minor version, as in --kubernetes v1.30, and not "${minor}"`);
    process.exit(2);
  }
  process.env['ATOLL_KUBERNETES'] = minor;
}
process.exitCode = await runCommand(['vitest', 'run', '--project', 'integration', ...args]);
