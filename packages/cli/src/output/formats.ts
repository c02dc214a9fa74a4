import { Option, type Command } from 'commander';
import type { KubeObject } from '@atoll/kube';

/** How a list is printed. */
export type Format = 'table' | 'wide' | 'json' | 'yaml' | 'name';

export function withFormat(command: Command): Command {
  return command
    .addOption(
      new Option('-o, --output <format>', 'instead of a table').choices(['wide', 'json', 'yaml', 'name']),
    )
    .option('--show-managed-fields', 'keep metadata.managedFields in JSON and YAML');
}

/** `printedAgain`: of what; `andDeleted`: what else counts as DELETED. */
export function withWatch(command: Command, printedAgain: string, andDeleted = ''): Command {
  return withFormat(command)
    .option('-w, --watch', `print again ${printedAgain}, until Ctrl-C`)
    .option(
      '--output-watch-events',
      `with --watch, print whether it is ADDED, MODIFIED or DELETED${andDeleted}`,
    );
}

export function withListing(command: Command): Command {
  return withWatch(command, 'what changes or is deleted').option('-A, --all-namespaces', 'of all namespaces');
}

/** What the flags of a command that lists mean. */
export interface ListFlags {
  readonly output?: Format;
  readonly watch?: boolean;
  readonly outputWatchEvents?: boolean;
  readonly showManagedFields?: boolean;
}

/** Refuses what is for a watch where there is none. */
export function refuseWithoutWatch(
  command: Command,
  { watch = false, outputWatchEvents = false }: ListFlags,
): void {
  if (outputWatchEvents && !watch)
    command.error('error: --output-watch-events is for --watch, without which there are no events');
}

export interface Printing {
  /** An object, and no List. */
  readonly isOne: boolean;
  /** Whether they are shown. */
  readonly managedFields: boolean;
}

/** One object as it is, several as a List, as kubectl does. */
export async function printed(
  objects: readonly KubeObject[],
  format: 'json' | 'yaml',
  { isOne, managedFields }: Printing,
): Promise<string> {
  const shown = objects.map((object) => shownObject(object, managedFields));
  const [first] = shown;
  const value =
    isOne && first !== undefined
      ? first
      : { apiVersion: 'v1', kind: 'List', metadata: { resourceVersion: '' }, items: shown };
  return document(value, format);
}

/** A value in the format. */
export async function document(value: object, format: 'json' | 'yaml'): Promise<string> {
  if (format === 'json') return JSON.stringify(value, null, 4);
  const { stringify } = await import('yaml');
  // kubectl reads YAML 1.1, to which `yes`, `on` and `1_000` without quotes are no text.
  return stringify(value, { compat: 'yaml-1.1' }).trimEnd();
}

/** What is left keeps its order: metadata before spec. */
export function shownObject(object: KubeObject, managedFields: boolean): KubeObject {
  if (managedFields) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
