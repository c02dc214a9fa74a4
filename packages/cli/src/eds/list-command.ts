import type { Command } from 'commander';
import type { KubeObject, Resource, Stored, StreamEvent } from '@atoll/kube';
import { objectArgument } from '../completion/object-argument.ts';
import { document, printed, shownObject, withListing, type Format } from '../output/formats.ts';
import { table } from '../output/table.ts';
import { connect, withConnection } from '../program/connection.ts';
import type { CommandContext } from '../program/run-program.ts';
import { readNamed } from './objects.ts';

/** A kind as a command lists it. */
export interface Listed<T extends KubeObject> {
  readonly resource: () => Promise<Resource<T>>;
  readonly headings: readonly string[];
  /** After them with `-o wide`. */
  readonly wideHeadings: readonly string[];
  readonly row: (object: Stored<T>, now: number) => readonly string[];
  readonly wideRow: (object: Stored<T>) => readonly string[];
}

interface Flags {
  readonly output?: Format;
  readonly watch?: boolean;
  readonly outputWatchEvents?: boolean;
  readonly allNamespaces?: boolean;
  readonly showManagedFields?: boolean;
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
  if (flags.outputWatchEvents === true && !watch)
    command.error('error: --output-watch-events is for --watch, without which there are no events');
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
  let printing = Promise.resolve();
  const watching = {
    changed: (change: StreamEvent<T>): void => {
      printing = printing.then(async () => context.print(await show([change])));
    },
    failed: (error: Error) => context.note(`watching again soon: ${error.message}`),
    signal: context.signal,
  };
  try {
    if (one === undefined) {
      const { watchAll } = await import('./watch/watch-all.ts');
      await watchAll({ client, resource, ...within }, showManagedFields, found, watching);
    } else {
      const { watchOne } = await import('./watch/watch-one.ts');
      await watchOne(connection, resource, one, watching);
    }
  } finally {
    await printing;
  }
}

/** Makes the text of objects as they are found and change, each for itself. Headings are above the first ones of a table only. */
function showing<T extends KubeObject>(
  listed: Listed<T>,
  resource: Resource<T>,
  { output = 'table', outputWatchEvents = false, showManagedFields = false }: Flags,
): (changes: readonly StreamEvent<T>[]) => Promise<string> {
  const isWide = output === 'wide';
  const headings = [
    ...(outputWatchEvents ? ['Event'] : []),
    ...listed.headings,
    ...(isWide ? listed.wideHeadings : []),
  ];
  const row = ({ type, object }: StreamEvent<T>): readonly string[] => [
    ...(outputWatchEvents ? [type] : []),
    ...listed.row(object, Date.now()),
    ...(isWide ? listed.wideRow(object) : []),
  ];
  const documentOf = async ({ type, object }: StreamEvent<T>, format: 'json' | 'yaml'): Promise<string> => {
    const shown = shownObject(withKind(resource, object), showManagedFields);
    return document(outputWatchEvents ? { type, object: shown } : shown, format);
  };
  let isFirst = true;
  return async (changes) => {
    const follows = !isFirst;
    isFirst = false;
    if (output === 'name') return changes.map(({ object }) => nameOf(resource, object)).join('\n');
    if (output === 'json' || output === 'yaml') {
      const texts = await Promise.all(changes.map(async (change) => documentOf(change, output)));
      const between = output === 'yaml' ? '---\n' : '';
      return (follows ? between : '') + texts.join(`\n${between}`);
    }
    const text = table(headings, changes.map(row));
    return follows ? text.slice(text.indexOf('\n') + 1) : text;
  };
}

function nameOf<T extends KubeObject>({ kind, group }: Resource<T>, { metadata }: Stored<T>): string {
  return `${kind.toLowerCase()}.${group}/${metadata.name}`;
}

function withKind<T extends KubeObject>(resource: Resource<T>, object: Stored<T>) {
  return { apiVersion: `${resource.group}/${resource.version}`, kind: resource.kind, ...object };
}
