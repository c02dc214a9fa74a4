import { setTimeout as delay } from 'node:timers/promises';
import { Command } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { edsArgument } from '../completion/object-argument.ts';
import { CommandFailure } from '../program/command-failure.ts';
import { connect, withConnection, type Connection } from '../program/connection.ts';
import { runProgram, type CommandContext, type Surroundings } from '../program/run-program.ts';
import { readObject } from '../eds/objects.ts';
import { judgeRollout, type Completion, type Verdict } from './judge-rollout.ts';

const pollMs = 30_000;

interface Settings extends Completion {
  readonly timeoutMs: number;
  readonly pollMs: number;
}

/** `check-eds`, as `helm test` runs it. */
export async function runCheckEds(surroundings: Surroundings): Promise<number> {
  return runProgram(surroundings, checkEds, { isOutput: false });
}

function checkEds(context: CommandContext): Command {
  const program = new Command('check-eds')
    .version(packageJson.version)
    .description('Checks ExtendedDaemonSets after a change.');
  const upgrade = new Command('upgrade')
    .description('waits until a rollout is complete, canary included')
    .addArgument(edsArgument())
    .addHelpText(
      'after',
      '\nEnvironment: NODE_COMPLETION_PCT (percent of the pods that must be up to date, default 95),' +
        '\nNODE_COMPLETION_MIN (complete as well when fewer pods are missing, default 10),' +
        '\nCHECK_TIMEOUT_MINUTES (default 120), CHECK_INTERVAL_SECONDS (default 30).' +
        '\nExit codes: 0 complete, 1 failed or not complete in time, 2 the command line or one of these is wrong,' +
        '\n130 interrupted.',
    );
  withConnection(upgrade).action(async (name: string) => {
    const settings = readSettings(upgrade, context.env);
    await using connection = await connect(upgrade, context);
    await check(connection, name, settings, context);
  });
  return program.addCommand(upgrade);
}

async function check(
  connection: Connection,
  name: string,
  { timeoutMs, pollMs: everyMs, ...completion }: Settings,
  { print, note, signal }: CommandContext,
): Promise<void> {
  // By a clock that never jumps: one that is set must not end the check, nor make it last for ever.
  const deadline = performance.now() + timeoutMs;
  let seen: string | undefined;
  for (;;) {
    // The first look comes later too, so that the operator has seen the change.
    await delay(Math.min(everyMs, Math.max(0, deadline - performance.now())), undefined, { signal });
    const isLast = performance.now() >= deadline;
    const look = await lookAt(connection, name, completion, seen !== undefined);
    if (look instanceof Error) {
      signal.throwIfAborted();
      if (isLast) throw tooLate(timeoutMs, `${seen ?? ''}. Since then: ${look.message}`);
      note(`looking again: ${look.message}`);
      continue;
    }
    if (look.is === 'failed') throw new CommandFailure(look.message);
    print(look.message);
    if (look.is === 'complete') return;
    if (isLast) throw tooLate(timeoutMs, look.message);
    seen = look.message;
  }
}

function tooLate(timeoutMs: number, why: string): CommandFailure {
  return new CommandFailure(`not complete after ${timeoutMs / 60_000} minutes: ${why}`);
}

/** How the rollout stands. `mayPass`: an error that another look may not meet, as while an API server starts again, is yielded. */
async function lookAt(
  connection: Connection,
  name: string,
  completion: Completion,
  mayPass: boolean,
): Promise<Verdict | Error> {
  try {
    const object = await readObject(connection, name);
    const since = await activeSince(connection, object.status?.activeReplicaSet ?? '');
    return judgeRollout(object, since, completion);
  } catch (error) {
    const { isApiError } = await import('@atoll/kube');
    if (mayPass && isApiError(error) && error.retryable) return error;
    throw error;
  }
}

async function activeSince({ client, namespace }: Connection, name: string): Promise<number | undefined> {
  if (name === '') return undefined;
  const [{ extendedDaemonSetReplicaSets }, { isApiError }] = await Promise.all([
    import('@atoll/api'),
    import('@atoll/kube'),
  ]);
  try {
    const { metadata } = await client.get(extendedDaemonSetReplicaSets, { namespace, name });
    return Date.parse(metadata.creationTimestamp);
  } catch (error) {
    if (isApiError(error, 'NotFound') && error.status !== undefined) return undefined;
    throw error;
  }
}

function readSettings(command: Command, env: CommandContext['env']): Settings {
  const numberOf = (name: string, otherwise: number, most: number, least = 0): number => {
    const text = env[name] ?? '';
    if (text === '') return otherwise;
    const value = Number(text);
    if (/^[0-9]+(\.[0-9]+)?$/.test(text) && value >= least && value <= most) return value;
    const limit = most === Infinity ? '' : ` and at most ${most}`;
    return command.error(`error: ${name} is "${text}". Allowed is a number of at least ${least}${limit}`);
  };
  return {
    percent: numberOf('NODE_COMPLETION_PCT', 95, 100),
    fewerThan: numberOf('NODE_COMPLETION_MIN', 10, Infinity),
    timeoutMs: 60_000 * numberOf('CHECK_TIMEOUT_MINUTES', 120, 10_000),
    // With 0 the API server would be asked without a pause.
    pollMs: 1000 * numberOf('CHECK_INTERVAL_SECONDS', pollMs / 1000, 3600, 0.1),
  };
}
