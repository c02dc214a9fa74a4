import type { KubeObject, Resource, Stored, StreamEvent } from '@atoll/kube';
import { document, shownObject, type Format, type ListFlags } from '../output/formats.ts';
import { table } from '../output/table.ts';

/** Objects as a table shows them. */
export interface Shown<T extends KubeObject> {
  readonly headings: readonly string[];
  /** After them with `-o wide`. */
  readonly wideHeadings: readonly string[];
  readonly row: (object: Stored<T>, now: number) => readonly string[];
  readonly wideRow: (object: Stored<T>) => readonly string[];
}

/** Makes the text of objects as they are found and change, each for itself. Headings are above the first ones of a table only. */
export function showing<T extends KubeObject>(
  shown: Shown<T>,
  resource: Resource<T>,
  { output = 'table', outputWatchEvents = false, showManagedFields = false }: ListFlags,
): (changes: readonly StreamEvent<T>[]) => Promise<string> {
  const isWide = output === 'wide';
  const headings = [
    ...(outputWatchEvents ? ['Event'] : []),
    ...shown.headings,
    ...(isWide ? shown.wideHeadings : []),
  ];
  const row = ({ type, object }: StreamEvent<T>): readonly string[] => [
    ...(outputWatchEvents ? [type] : []),
    ...shown.row(object, Date.now()),
    ...(isWide ? shown.wideRow(object) : []),
  ];
  const documentOf = async ({ type, object }: StreamEvent<T>, format: 'json' | 'yaml'): Promise<string> => {
    const whole = shownObject(withKind(resource, object), showManagedFields);
    return document(outputWatchEvents ? { type, object: whole } : whole, format);
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
  return `${kind.toLowerCase()}${group === '' ? '' : `.${group}`}/${metadata.name}`;
}

/** The object with its kind, which it has not in a list. */
export function withKind<T extends KubeObject>({ group, version, kind }: Resource<T>, object: Stored<T>) {
  return { apiVersion: group === '' ? version : `${group}/${version}`, kind, ...object };
}

/** What of an object is printed, whenever that is: its age is no change of it. As JSON and YAML that is all, as a name it is its row. */
export function printedOf<T extends KubeObject>(
  shown: Shown<T>,
  output: Format,
): (object: Stored<T>) => string {
  if (output === 'json' || output === 'yaml') return ({ metadata }) => metadata.resourceVersion;
  const more = output === 'wide' ? shown.wideRow : () => [];
  return (object) => JSON.stringify([...shown.row(object, 0), ...more(object)]);
}
