import type { Subset } from '@atoll/api';
import {
  dns1123SubdomainProblems,
  isFields,
  labelValueProblems,
  qualifiedNameProblems,
  type Fields,
} from '@atoll/kube';
import type { PlacedPodSpec } from '../../../engine/rollout/node-fit.ts';
import { nodeTermProblems } from './node-term-problems.ts';
import { tolerationProblems } from './toleration-problems.ts';

type Term = NonNullable<Subset['nodeSelectorTerm']>;
type Requirement = NonNullable<Term['matchExpressions']>[number];
type Toleration = NonNullable<Subset['tolerations']>[number];

/**
 * The spec without the fields for which no API server takes its pods, and with a toleration of everything in place of such tolerations: so that no node
 * is left out because of them. The spec itself where there is none.
 *
 * Templates of custom kinds are not typed: a number that is not quoted, an operator that is misspelt and a list without terms match no node, and a pod
 * that is made of them is refused. A null is a field that is left out.
 */
export function readablePlacement(spec: PlacedPodSpec): PlacedPodSpec {
  const given = spec as Readonly<Record<string, unknown>>;
  const { nodeName, nodeSelector, affinity, tolerations, ...others } = given;
  const [named, labelled] = [isNodeName(nodeName ?? ''), areLabels(nodeSelector ?? {})];
  const [placed, tolerates] = [!isAffinityRefused(affinity), isListOf(tolerations ?? [], isToleration)];
  if (named && labelled && placed && tolerates) return spec;
  return {
    ...others,
    ...(named ? { nodeName } : {}),
    ...(labelled ? { nodeSelector } : {}),
    ...(placed ? { affinity } : {}),
    tolerations: tolerates ? tolerations : [{ operator: 'Exists' }],
  } as PlacedPodSpec;
}

/**
 * Whether no API server takes what an affinity asks of nodes. The `matchFields` of its terms give way to the name of the node when a pod is made, so they
 * are no reason where another term is in order.
 */
export function isAffinityRefused(given: unknown): boolean {
  const affinity = given ?? {};
  if (!isFields(affinity)) return true;
  const ofNodes = affinity['nodeAffinity'] ?? {};
  if (!isFields(ofNodes)) return true;
  const required = ofNodes['requiredDuringSchedulingIgnoredDuringExecution'] ?? undefined;
  if (required === undefined) return false;
  if (!isFields(required)) return true;
  const terms = required['nodeSelectorTerms'];
  const asks = (given: unknown): boolean => isTerm({ ...(given as Fields | null), matchFields: [] });
  if (!isListOf(terms, (each) => isFields(each ?? {}) && asks(each)) || terms.length === 0) return true;
  return !terms.every(isTerm) && !terms.some((each) => isTerm(each) && !isEmptyTerm(each));
}

/** It matches nothing. */
function isEmptyTerm(given: unknown): boolean {
  const { matchExpressions, matchFields } = (given ?? {}) as Fields;
  return [matchExpressions, matchFields].every((each) => !Array.isArray(each) || each.length === 0);
}

function isNodeName(name: unknown): boolean {
  return isText(name) && (name === '' || dns1123SubdomainProblems(name).length === 0);
}

function areLabels(labels: unknown): boolean {
  if (!isFields(labels)) return false;
  return Object.entries(labels).every(([key, given]) => {
    const value = given ?? '';
    return qualifiedNameProblems(key).length === 0 && isText(value) && labelValueProblems(value).length === 0;
  });
}

/** One without requirements matches nothing, and is taken. */
function isTerm(given: unknown): boolean {
  const term = given ?? {};
  if (!isFields(term)) return false;
  const [matchExpressions, matchFields] = [term['matchExpressions'] ?? [], term['matchFields'] ?? []];
  if (!isListOf(matchExpressions, isRequirement) || !isListOf(matchFields, isRequirement)) return false;
  const read = {
    matchExpressions: matchExpressions.map(requirementOf),
    matchFields: matchFields.map(requirementOf),
  };
  return nodeTermProblems(read, '', takesAnyValue).length === 0;
}

/** Whether a value that no label can have is refused depends on the version of the API server. */
function takesAnyValue(): readonly string[] {
  return [];
}

function isRequirement(given: unknown): boolean {
  if (!isFields(given)) return false;
  const { key, operator, values } = given;
  return [key ?? '', operator ?? ''].every(isText) && isListOf(values ?? [], (value) => isText(value ?? ''));
}

/** What is written in one of which the types are right. */
function requirementOf(given: unknown): Requirement {
  const { key, operator, values } = given as Readonly<Record<keyof Requirement, unknown>>;
  const texts = ((values ?? []) as readonly (string | null)[]).map((value) => value ?? '');
  return { key: (key ?? '') as string, operator: (operator ?? '') as Requirement['operator'], values: texts };
}

function isToleration(given: unknown): boolean {
  const toleration = given ?? {};
  if (!isFields(toleration)) return false;
  const [key, operator, value, effect] = ['key', 'operator', 'value', 'effect'].map(
    (field) => toleration[field] ?? '',
  );
  const tolerationSeconds = toleration['tolerationSeconds'] ?? undefined;
  if (![key, operator, value, effect].every(isText)) return false;
  if (tolerationSeconds !== undefined && !Number.isInteger(tolerationSeconds)) return false;
  const read = { key, operator, value, effect, tolerationSeconds } as Toleration;
  return tolerationProblems([read], '').length === 0;
}

function isListOf(list: unknown, is: (each: unknown) => boolean): list is readonly unknown[] {
  return Array.isArray(list) && list.every(is);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
