import { Option, type Command } from 'commander';
import type { KubeObject } from '@atoll/kube';

/** How a list is printed. */
export type Format = 'table' | 'wide' | 'json' | 'yaml' | 'name';

export function withFormat(command: Command): Command {
  return command.addOption(
    new Option('-o, --output <format>', 'instead of a table').choices(['wide', 'json', 'yaml', 'name']),
  );
}

export function withListing(command: Command): Command {
  return withFormat(command)
    .option('-w, --watch', 'print again what changes, until Ctrl-C')
    .option('-A, --all-namespaces', 'of all namespaces');
}

/** One object as it is, several as a List, as kubectl does. */
export async function printed(
  objects: readonly KubeObject[],
  format: 'json' | 'yaml',
  isOne: boolean,
): Promise<string> {
  const [first] = objects;
  const value =
    isOne && first !== undefined
      ? first
      : { apiVersion: 'v1', kind: 'List', metadata: { resourceVersion: '' }, items: objects };
  if (format === 'json') return JSON.stringify(value, null, 4);
  const { stringify } = await import('yaml');
  // kubectl reads YAML 1.1, to which `yes`, `on` and `1_000` without quotes are no text.
  return stringify(value, { compat: 'yaml-1.1' }).trimEnd();
}
