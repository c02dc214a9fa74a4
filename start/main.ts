// `npm start`: a cluster, a fleet, the operator and the samples in one command; or the operator on a cluster of one's own.
import { Command } from 'commander';
import { runAttached } from './attached.ts';
import { runEmbedded } from './embedded.ts';
import { createScreen } from './screen.ts';

interface StartOptions {
  readonly once?: boolean;
  readonly kubeconfig?: string;
  readonly context?: string;
}

const command = new Command('npm start --')
  .description(
    'Without a kubeconfig: starts a real control plane with three pools of nodes on this machine, installs Atoll,\n' +
      'runs the operator and rolls the samples of examples/ out to every pool; Ctrl-C ends everything.\n' +
      'With one: installs CRDs, policies and RBAC there and runs the operator against it, without samples.',
  )
  .option('--once', 'end with exit code 0 when everything is Ready, and leave nothing behind')
  .option('--kubeconfig <file>', 'a cluster of your own instead of the embedded one; also $KUBECONFIG')
  .option('--context <name>', 'the context of the kubeconfig to use instead of its current one')
  .allowExcessArguments(false)
  .addHelpText('after', '\nExit codes: 0 done or ended by Ctrl-C, 1 failed, 2 the command line is wrong.')
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
  .parse();

const options: StartOptions = command.opts();
const attached = options.kubeconfig !== undefined || Boolean(process.env['KUBECONFIG']);
if (attached && options.once === true)
  command.error('error: --once is for the embedded cluster, not with a kubeconfig');
if (!attached && options.context !== undefined)
  command.error('error: --context needs --kubeconfig or $KUBECONFIG');

const screen = createScreen(process.stdout);
const ending = new AbortController();
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    interrupted = true;
    ending.abort();
  });
}

try {
  process.exitCode = attached
    ? await runAttached({ kubeconfig: options.kubeconfig, context: options.context }, screen, ending.signal)
    : await runEmbedded({ once: options.once === true }, screen, ending.signal);
} catch (error) {
  if (!interrupted) process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
if (interrupted) process.exitCode = options.once === true ? 130 : 0;
