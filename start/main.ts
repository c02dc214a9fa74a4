// `npm start`: a cluster, a fleet, the operator and the samples in one command; or the operator on a cluster of one's own.
import { Command } from 'commander';
import { refuseInOneLine, visible } from '@atoll/kube/command-line';
import { confirm } from './terminal/confirm.ts';
import { interruptionOf } from './interruption.ts';
import { createScreen } from './terminal/screen.ts';

interface StartOptions {
  readonly once?: boolean;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly yes?: boolean;
}

const command = new Command('npm start --')
  .description(
    'Starts a real Kubernetes control plane with three pools of nodes on this machine,\n' +
      'installs Atoll, runs its operator, rolls samples of examples/ out to every pool\n' +
      'and zone and changes one of them, so that you see a rollout; then upgrades one\n' +
      'node of a DaemonSet through its agent; then tries two new templates of an\n' +
      'ExtendedDaemonSet on one node: the good one is promoted, the bad one goes back.\n' +
      'Ctrl-C ends everything. No other cluster is touched.\n' +
      'With --kubeconfig: says what it will install into that cluster (CRDs, policies,\n' +
      'RBAC, a namespace), asks, installs it and runs the operator against it, without\n' +
      'samples.',
  )
  .option('--once', 'end with exit code 0 when everything is Ready, and leave nothing behind')
  .option(
    '--kubeconfig <file>',
    'a cluster of your own instead of the embedded one; "" for $KUBECONFIG, then ~/.kube/config',
  )
  .option('--context <name>', 'the context of the kubeconfig to use instead of its current one')
  .option('--yes', 'install into that cluster without asking')
  .allowExcessArguments(false)
  .addHelpText(
    'after',
    '\nExit codes: 0 done, or ended by Ctrl-C; 1 failed, or the answer was no;\n2 the command line is wrong, or --yes is missing where nobody can be asked;\n130 interrupted before it was done.',
  )
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
refuseInOneLine(command);
command.parse();

const { once = false, kubeconfig, context, yes = false }: StartOptions = command.opts();
// npm takes options before `--` for its own, without a word, and hands them on in the environment.
const swallowed = ['once', 'kubeconfig', 'context'].find((name) => `npm_config_${name}` in process.env);
if (swallowed !== undefined) {
  command.error(
    `error: npm took --${swallowed} for its own: put -- before it, as in npm start -- --${swallowed}`,
  );
}
if (context === '') command.error('error: --context is given an empty value');
if (kubeconfig !== undefined && once) {
  command.error('error: --once is for the embedded cluster, not with --kubeconfig');
}
if (kubeconfig === undefined && context !== undefined) command.error('error: --context needs --kubeconfig');
if (kubeconfig === undefined && yes) command.error('error: --yes needs --kubeconfig');

const now = (): number => performance.now();
const screen = createScreen(process.stdout, process.env, now);
const interruption = interruptionOf(process, now);
interruption.addEventListener('abort', () => {
  screen.close();
  screen.print('Ending everything …');
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
    process.stderr.write(`${visible(error instanceof Error ? error.message : String(error))}\n`);
    process.exitCode = 1;
  }
}

/** Loads only what is needed: a wrong flag is answered at once. */
async function run(): Promise<number> {
  if (kubeconfig !== undefined) {
    const { runAttached } = await import('./attached.ts');
    const options = { kubeconfig, context, yes, ask: person(), environment: process.env };
    return runAttached(options, screen, interruption);
  }
  const { runEmbedded } = await import('./embedded.ts');
  return runEmbedded({ once, environment: process.env }, screen, interruption);
}

/** How to ask a person, where one sees what is said and can answer. */
function person(): ((question: string) => Promise<boolean>) | undefined {
  const { stdin: input, stdout: output } = process;
  if (!input.isTTY || !output.isTTY) return undefined;
  return async (question) => confirm(question, { input, output, signal: interruption });
}
