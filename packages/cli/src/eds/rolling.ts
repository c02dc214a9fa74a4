import { Command } from 'commander';
import type { ExtendedDaemonSet } from '@atoll/api';
import type { Stored } from '@atoll/kube';
import { edsArgument } from '../completion/object-argument.ts';
import { CommandFailure } from '../program/command-failure.ts';
import { connect, withConnection } from '../program/connection.ts';
import type { CommandContext } from '../program/run-program.ts';
import { decideAbout } from './decision.ts';
import { heldBack, heldBackBy, type HoldingAnnotation } from './held-back.ts';
import { nextCommand } from './next-command.ts';
import { canaryIn } from './objects.ts';

interface Switch {
  readonly command: string;
  readonly annotation: HoldingAnnotation;
  readonly on: boolean;
  readonly description: string;
  /** What is so now, and what comes next. */
  readonly now: (object: Stored<ExtendedDaemonSet>) => string;
}

const switches: readonly Switch[] = [
  {
    command: 'pause-rolling-update',
    annotation: 'rollingUpdatePaused',
    on: true,
    description: 'delete no outdated pods; nodes without a pod still get one',
    now: (object) => heldBackBy('rollingUpdatePaused', object),
  },
  {
    command: 'unpause-rolling-update',
    annotation: 'rollingUpdatePaused',
    on: false,
    description: 'go on with a rolling update that was paused',
    now: () => 'the rolling update goes on.',
  },
  {
    command: 'freeze-rollout',
    annotation: 'rolloutFrozen',
    on: true,
    description: 'delete no outdated pods and make none',
    now: (object) => heldBackBy('rolloutFrozen', object),
  },
  {
    command: 'unfreeze-rollout',
    annotation: 'rolloutFrozen',
    on: false,
    description: 'go on with a rollout that was frozen',
    now: () => 'the rollout goes on.',
  },
];

/** The commands that hold a rollout back, and let it go on. */
export function rollingCommands(context: CommandContext): readonly Command[] {
  return switches.map((each) => {
    const command = new Command(each.command).description(each.description).addArgument(edsArgument());
    return withConnection(command).action(async (name: string) => turn(each, name, command, context));
  });
}

async function turn(
  { annotation, on, now }: Switch,
  name: string,
  command: Command,
  context: CommandContext,
): Promise<void> {
  await using connection = await connect(command, context);
  const { extendedDaemonSetAnnotations: names } = await import('@atoll/api');
  const text = await decideAbout(connection, name, async (object) => {
    const { metadata } = object;
    const canary = canaryIn(object);
    if (canary !== '' && on) {
      throw new CommandFailure(
        `ExtendedDaemonSet ${name} has a canary, ${canary}. Use: ${nextCommand('canary pause', object)}, or unpause, validate, fail`,
      );
    }
    const isSo = (metadata.annotations?.[names[annotation]] === 'true') === on;
    const others = await heldBack(object, annotation);
    const besides = [
      ...others.map((each) => `\nBesides, ${each}`),
      ...(canary === '' ? [] : [`\nThe canary ${canary} stays as it is.`]),
    ].join('');
    const next =
      on || others.length === 0
        ? `${now(object)}${besides}`
        : `nothing goes on yet: ${others.join('\nBesides, ')}`;
    return {
      ...(isSo ? {} : { annotations: { [names[annotation]]: String(on) } }),
      text: `ExtendedDaemonSet ${name}: ${isSo ? 'nothing to change: ' : ''}${next}`,
    };
  });
  context.print(text);
}
