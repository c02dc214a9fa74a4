import { Command } from 'commander';
import { edsArgument } from '../completion/object-argument.ts';
import { CommandFailure } from '../program/command-failure.ts';
import { connect, withConnection } from '../program/connection.ts';
import type { CommandContext } from '../program/run-program.ts';
import { canaryOf, readObject, readReplicaSet } from './objects.ts';

export function diffCommand(context: CommandContext): Command {
  const command = new Command('diff')
    .description('show what the canary changes, beside the active replica set')
    .addArgument(edsArgument());
  return withConnection(command).action(async (name: string) => {
    await using connection = await connect(command, context);
    const object = await readObject(connection, name);
    const canary = canaryOf(object);
    const active = object.status?.activeReplicaSet ?? '';
    if (active === '') throw new CommandFailure(`ExtendedDaemonSet ${name} has no active replica set yet`);
    const [before, after] = await Promise.all([
      readReplicaSet(connection, active),
      readReplicaSet(connection, canary),
    ]);
    const [{ createTwoFilesPatch }, { stringify }] = await Promise.all([import('diff'), import('yaml')]);
    const text = (spec: object): string => stringify(spec, { sortMapEntries: true });
    context.print(createTwoFilesPatch(active, canary, text(before.spec), text(after.spec)).trimEnd());
  });
}
