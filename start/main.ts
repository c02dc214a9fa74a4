// `npm start`: a cluster, a fleet, the operator and the samples in one command; or the operator on a cluster of one's own.
import { Command } from 'commander';
import { interruptionOf } from './interruption.ts';
import { createScreen } from './screen.ts';

interface StartOptions {
  readonly once?: boolean;
  readonly kubeconfig?: string;
  readonly context?: string;
}

const command = new Command('npm start --')
  .description(
    'Without a kubeconfig: starts a real Kubernetes control plane with three pools\n' +
      'of nodes on this machine, installs Atoll, runs its operator, rolls samples of\n' +
      'examples/ out to every pool and zone and changes one of them, so that you see\n' +
      'a rollout. Ctrl-C ends everything.\n' +
      'With one: installs CRDs, policies and RBAC into that cluster and runs the\n' +
      'operator against it, without samples.',
  )
  .option('--once', 'end with exit code 0 when everything is Ready, and leave nothing behind')
  .option('--kubeconfig <file>', 'a cluster of your own instead of the embedded one; also $KUBECONFIG')
  .option('--context <name>', 'the context of the kubeconfig to use instead of its current one')
  .allowExcessArguments(false)
  .addHelpText(
    'after',
    '\nExit codes: 0 done, or ended by Ctrl-C; 1 failed; 2 the command line is wrong;\n130 interrupted before it was done.',
  )
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
  .parse();

const { once = false, kubeconfig, context }: StartOptions = command.opts();
const fromEnvironment = process.env['KUBECONFIG'] ?? '';
const attached = kubeconfig !== undefined || fromEnvironment !== '';
if (kubeconfig === '' || context === '') command.error('error: an option is given an empty value');
if (attached && once) {
  const how = kubeconfig === undefined ? ': unset KUBECONFIG first' : ', not with --kubeconfig';
  command.error(`error: --once is for the embedded cluster${how}`);
}
if (!attached && context !== undefined) command.error('error: --context needs --kubeconfig or $KUBECONFIG');

const now = (): number => performance.now();
const screen = createScreen(process.stdout, process.env, now);
const interruption = interruptionOf(process, now);
interruption.addEventListener('abort', () => {
  screen.close();
  screen.say('Ending everything …');
});
process.on('exit', () => screen.close());
// Whoever read the output is gone (`npm start | head`): nobody is left to end it otherwise.
process.stdout.on('error', () => process.exit(1));

try {
  process.exitCode = await run();
} catch (error) {
  screen.close();
  if (interruption.aborted) process.exitCode = 130;
  else {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

/** Loads only what is needed: a wrong flag is answered at once. */
async function run(): Promise<number> {
  if (attached) {
    const { runAttached } = await import('./attached.ts');
    return runAttached({ kubeconfig, context, environment: process.env }, screen, interruption);
  }
  const { runEmbedded } = await import('./embedded.ts');
  return runEmbedded({ once, environment: process.env }, screen, interruption);
}
