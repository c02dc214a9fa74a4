import { annotations } from '@atoll/api';
import { compareTexts, isFields, ownField, type Taint } from '@atoll/kube';
import { parseJson } from '../../children/parse-json.ts';
import {
  givenByPools,
  noAttributes,
  plainTaint,
  sameTaints,
  taintId,
  type Attributes,
} from './attributes.ts';

/**
 * Reads the annotation in which a node remembers what its pool put there. What cannot be read is no evidence of
 * whose the attributes are, so it counts as empty and nothing is removed because of it.
 */
export function parseRecord(text: string | undefined): Attributes {
  const value = parseJson(text);
  if (!isFields(value)) return noAttributes;
  return givenByPools({
    labels: stringsOf(value['labels']),
    annotations: stringsOf(value['annotations']),
    taints: taintsOf(value['taints']),
    ...(value['hostNetwork'] === true ? { hostNetwork: true } : {}),
  });
}

export type ReadRecord = (text: string | undefined) => Attributes;

/** {@link parseRecord}, which parses each distinct text once: the nodes of a pool mostly have the same. */
export function readRecordsOnce(): ReadRecord {
  const known = new Map<string | undefined, Attributes>();
  return (text) => {
    const found = known.get(text) ?? parseRecord(text);
    known.set(text, found);
    return found;
  };
}

/**
 * The record as the old operator writes it: empty parts left out, keys sorted. undefined where there is nothing to
 * remember.
 */
export function formatRecord(attributes: Attributes): string | undefined {
  const record: Record<string, unknown> = {};
  if (Object.keys(attributes.labels).length > 0) record['labels'] = sortKeys(attributes.labels);
  if (Object.keys(attributes.annotations).length > 0)
    record['annotations'] = sortKeys(attributes.annotations);
  if (attributes.taints.length > 0) record['taints'] = attributes.taints.map(plainTaint);
  if (attributes.hostNetwork === true) record['hostNetwork'] = true;
  return Object.keys(record).length === 0 ? undefined : JSON.stringify(record);
}

/** Labels and taints that a node is left without, and whose they are; of a node in no pool, labels that it is left with. */
export interface Kept {
  /** Empty where the node is in no pool. */
  readonly pool: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
}

/** Reads either of the notes. undefined where there is none, or none that can be read: then nothing is kept because of it. */
export function parseKept(text: string | undefined): Kept | undefined {
  const value = parseJson(text);
  if (!isFields(value) || typeof value['pool'] !== 'string') return undefined;
  return { pool: value['pool'], labels: stringsOf(value['labels']), taints: taintsOf(value['taints']) };
}

/** The annotations that note it; undefined where nothing is kept. */
export function notesOf(kept: Kept | undefined): Readonly<Record<string, string | undefined>> {
  const { pool, labels, taints } = kept ?? { pool: '', labels: {}, taints: [] };
  const hasLabels = Object.keys(labels).length > 0;
  return {
    [annotations.keptLabels]: hasLabels ? JSON.stringify({ pool, labels: sortKeys(labels) }) : undefined,
    [annotations.keptTaints]:
      taints.length === 0 ? undefined : JSON.stringify({ pool, taints: taints.map(plainTaint) }),
  };
}

/** Whether two records remember the same, whatever the order in which an old operator wrote it. */
export function sameRecord(a: Attributes, b: Attributes): boolean {
  return (
    a.hostNetwork === b.hostNetwork &&
    sameStrings(a.labels, b.labels) &&
    sameStrings(a.annotations, b.annotations) &&
    (sameTaints(a.taints, b.taints) || sameTaints(inOrder(a.taints), inOrder(b.taints)))
  );
}

type Strings = Readonly<Record<string, string>>;

function sameStrings(a: Strings, b: Strings): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => ownField(b, key) === a[key]);
}

function inOrder(taints: readonly Taint[]): readonly Taint[] {
  return taints.toSorted((a, b) => compareTexts(taintId(a), taintId(b)));
}

function stringsOf(value: unknown): Record<string, string> {
  if (!isFields(value)) return {};
  const entries = Object.entries(value).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(entries);
}

function taintsOf(value: unknown): readonly Taint[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isTaint).map(plainTaint);
}

function isTaint(value: unknown): value is Taint {
  if (!isFields(value)) return false;
  const { key, effect, value: text } = value;
  return (
    typeof key === 'string' && typeof effect === 'string' && (text === undefined || typeof text === 'string')
  );
}

function sortKeys(map: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => compareTexts(a, b)));
}
