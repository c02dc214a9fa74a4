import type { Command } from 'commander';
import type { KubeObject, Resource, Stored } from '@atoll/kube';
import { objectArgument } from '../completion/object-argument.ts';
import { printed, withListing, type Format } from '../output/formats.ts';
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

/** An informer leaves managedFields out where it is not given what to keep. */
const allFields = { paths: undefined, tree: { otherwise: 'keep', fields: [] }, metadataOnly: false } as const;

async function list<T extends KubeObject>(
  listed: Listed<T>,
  name: string | undefined,
  { output = 'table', watch = false, allNamespaces = false, showManagedFields = false }: Flags,
  command: Command,
  context: CommandContext,
): Promise<void> {
  if (name !== undefined && allNamespaces)
    command.error('error: a name and --all-namespaces exclude each other');
  await using connection = await connect(command, context);
  const { client, namespace } = connection;
  const resource = await listed.resource();
  const within = allNamespaces ? {} : { namespace };
  // By name, as kubectl does: not everybody who may read one object may list all, and there may be many.
  const found =
    name === undefined
      ? (await client.list(resource, within)).items
      : [await readNamed(connection, resource, name)];
  const withKind = (object: Stored<T>) => ({
    apiVersion: `${resource.group}/${resource.version}`,
    kind: resource.kind,
    ...object,
  });
  const show = async (objects: readonly Stored<T>[], isFirst: boolean): Promise<string> => {
    if (output === 'json' || output === 'yaml') {
      const text = await printed(objects.map(withKind), output, {
        isOne: name !== undefined || !isFirst,
        managedFields: showManagedFields,
      });
      return output === 'yaml' && !isFirst ? `---\n${text}` : text;
    }
    if (output === 'name')
      return objects
        .map(({ metadata }) => `${resource.kind.toLowerCase()}.${resource.group}/${metadata.name}`)
        .join('\n');
    const isWide = output === 'wide';
    const headings = [...listed.headings, ...(isWide ? listed.wideHeadings : [])];
    const rows = objects.map((object) => [
      ...listed.row(object, Date.now()),
      ...(isWide ? listed.wideRow(object) : []),
    ]);
    const text = table(headings, rows);
    return isFirst ? text : text.slice(text.indexOf('\n') + 1);
  };
  if (found.length === 0 && output !== 'json' && output !== 'yaml')
    context.note(`No resources found${allNamespaces ? '' : ` in ${namespace} namespace`}.`);
  else context.print(await show(found, true));
  if (!watch) return;
  const { createInformer, isApiError } = await import('@atoll/kube');
  const seen = new Map(found.map(({ metadata }) => [metadata.uid, metadata.resourceVersion]));
  const refused = new AbortController();
  const observer = {
    failed: ({ error, failures }: { readonly error: Error; readonly failures: number }): void => {
      if (isApiError(error) && !error.retryable && error.status !== undefined) refused.abort(error);
      else if (failures === 1) context.note(`watching again soon: ${error.message}`);
    },
  };
  const informer = createInformer({
    client,
    resource,
    indexers: {},
    observer,
    ...within,
    ...(name === undefined ? {} : { fieldSelector: `metadata.name=${name}` }),
    ...(showManagedFields ? { projection: allFields } : {}),
  });
  let printing = Promise.resolve();
  informer.subscribe((events) => {
    for (const { type, object } of events) {
      const { uid, resourceVersion } = object.metadata;
      if (type === 'deleted') continue;
      if (seen.get(uid) === resourceVersion) continue;
      seen.set(uid, resourceVersion);
      printing = printing.then(async () => context.print(await show([object as Stored<T>], false)));
    }
  });
  await informer.start(AbortSignal.any([context.signal, refused.signal]));
  await printing;
  if (!context.signal.aborted) refused.signal.throwIfAborted();
}
