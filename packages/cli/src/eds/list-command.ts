import type { Command } from 'commander';
import type { KubeObject, Resource } from '@atoll/kube';
import { objectArgument } from '../completion/object-argument.ts';
import { printed, refuseWithoutWatch, withListing, type ListFlags } from '../output/formats.ts';
import { connect, withConnection } from '../program/connection.ts';
import type { CommandContext } from '../program/run-program.ts';
import { readNamed } from './objects.ts';
import { showing, withKind, type Shown } from './showing.ts';

/** A kind as a command lists it. */
export interface Listed<T extends KubeObject> extends Shown<T> {
  readonly resource: () => Promise<Resource<T>>;
}

interface Flags extends ListFlags {
  readonly allNamespaces?: boolean;
}

/** Makes a command list objects of a kind, or read one of them. */
export function listing<T extends KubeObject>(
  command: Command,
  listed: Listed<T>,
  context: CommandContext,
): Command {
  return withListing(withConnection(command))
    .addArgument(objectArgument('[name]', listed.resource, 'only this one'))
    .action(async (name: string | undefined, flags: Flags) => list(listed, name, flags, command, context));
}

async function list<T extends KubeObject>(
  listed: Listed<T>,
  name: string | undefined,
  flags: Flags,
  command: Command,
  context: CommandContext,
): Promise<void> {
  const { output = 'table', watch = false, allNamespaces = false, showManagedFields = false } = flags;
  if (name !== undefined && allNamespaces)
    command.error('error: a name and --all-namespaces exclude each other');
  refuseWithoutWatch(command, flags);
  await using connection = await connect(command, context);
  const { client, namespace } = connection;
  const resource = await listed.resource();
  const within = allNamespaces ? {} : { namespace };
  // By name, as kubectl does: not everybody who may read one object may list all, and there may be many.
  const one = name === undefined ? undefined : await readNamed(connection, resource, name);
  const found = one === undefined ? (await client.list(resource, within)).items : [one];
  const show = showing(listed, resource, flags);
  const changes = found.map((object) => ({ type: 'ADDED', object }) as const);
  if (!watch && (output === 'json' || output === 'yaml')) {
    const objects = found.map((object) => withKind(resource, object));
    const isOne = one !== undefined;
    return context.print(await printed(objects, output, { isOne, managedFields: showManagedFields }));
  }
  if (found.length === 0)
    context.note(`No resources found${allNamespaces ? '' : ` in ${namespace} namespace`}.`);
  else context.print(await show(changes));
  if (!watch) return;
  const { printChanges } = await import('./watch/print-changes.ts');
  await printChanges(context, show, async (watching) => {
    if (one === undefined) {
      const { watchAll } = await import('./watch/watch-all.ts');
      const { allFields } = await import('./watch/watching.ts');
      const fields = showManagedFields ? { projection: allFields } : {};
      await watchAll({ client, resource, ...within, ...fields }, found, watching);
    } else {
      const { watchOne } = await import('./watch/watch-one.ts');
      await watchOne(connection, resource, one, watching);
    }
  });
}
