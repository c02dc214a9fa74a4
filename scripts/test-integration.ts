// `npm run test:integration`: the test runner's own arguments, and `--kubernetes v1.x` for another version of the control plane.
import { runCommand } from './checks.ts';
import { takeKubernetesFlag } from './kubernetes-flag.ts';

const { minor, others } = readFlag();
if (minor !== undefined) process.env['ATOLL_KUBERNETES'] = minor;
process.exitCode = await runCommand(['vitest', 'run', '--project', 'integration', ...others]);

/** Ends the process with code 2 where the version is wrong, before any test begins. */
function readFlag(): ReturnType<typeof takeKubernetesFlag> {
  try {
    return takeKubernetesFlag(process.argv.slice(2));
  } catch (error) {
    console.error(`error: ${error instanceof Error ? error.message : String(error)}`);
    return process.exit(2);
  }
}
