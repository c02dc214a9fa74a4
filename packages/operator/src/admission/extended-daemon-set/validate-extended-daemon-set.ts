import { extendedDaemonSets, strategyProblems, withDefaults, type ExtendedDaemonSet } from '@atoll/api';
import {
  canonicalJson,
  keyOf,
  type KubeObject,
  type Node,
  type Reader,
  type Resource,
  type Stored,
} from '@atoll/kube';
import type { AdmissionAnswer, AdmissionRequest } from '@atoll/kube/webhook';
import type { ObjectDefaults } from '../../definitions/kind-definition.ts';
import { readStrategy } from '../../extended-daemon-set/read-strategy.ts';
import type { FieldProblem } from '../../engine/problems/field-problem.ts';
import { answerWith, judgeTrials } from '../trials/judge-trials.ts';
import type { TryChildren } from '../trials/try-children.ts';
import { asksTheSameOfQuotas } from '../../extended-daemon-set/rolling/refusals/asks-of-quota.ts';
import { changeWarnings } from './change-warnings.ts';
import { podTrial } from './pod-trial.ts';
import { strategyWarnings, templateWarnings } from './spec-warnings.ts';

export interface ExtendedDaemonSetAdmission {
  readonly readers: { readonly extendedDaemonSets: Reader<ExtendedDaemonSet>; readonly nodes: Reader<Node> };
  readonly tries: TryChildren;
  readonly objectDefaults: ObjectDefaults;
}

const allowed = { allowed: true } as const;

/**
 * Lets the API server judge a pod of the template, refuses a strategy that cannot be carried out, and warns of what is about to happen. Only what the
 * request changes is judged, so that what an old operator left can be corrected bit by bit.
 */
export async function validateExtendedDaemonSet(
  { readers, tries, objectDefaults: { canaryValidationMode } }: ExtendedDaemonSetAdmission,
  request: AdmissionRequest,
): Promise<AdmissionAnswer> {
  const object = request.object as Stored<ExtendedDaemonSet> | undefined;
  const old = request.oldObject as Stored<ExtendedDaemonSet> | undefined;
  if (object === undefined || object.metadata.deletionTimestamp !== undefined) return allowed;
  const changes = (field: 'strategy' | 'template'): boolean =>
    old === undefined || canonicalJson(old.spec[field]) !== canonicalJson(object.spec[field]);
  const strategyProblemsOf = ({ spec }: ExtendedDaemonSet): readonly string[] =>
    strategyProblems(withDefaults(spec, canaryValidationMode).strategy);
  const found = changes('strategy') ? strategyProblemsOf(object) : [];
  const before = new Set(old === undefined || found.length === 0 ? [] : strategyProblemsOf(old));
  const problems = found.filter((each) => !before.has(each)).map(asFieldProblem);
  const { status } = readers.extendedDaemonSets.get(keyOf(object)) ?? {};
  const hasRoom = old !== undefined && hasRoomFor(object, old, status);
  const judged = await judgeTrials(tries, changes('template') ? [{ ...podTrial(object), hasRoom }] : []);
  const facts = {
    status,
    nodes: () => readers.nodes.list(),
    mode: canaryValidationMode,
  };
  const warnings = [
    ...found.filter((each) => before.has(each)),
    ...(changes('strategy') ? strategyWarnings(object, readStrategy(object, canaryValidationMode)) : []),
    ...(changes('template') ? templateWarnings(object) : []),
    ...(old === undefined ? [] : changeWarnings(object, old, facts)),
  ];
  return answerWith(
    extendedDaemonSets as Resource<KubeObject>,
    object.metadata.name,
    [...problems, ...judged.problems],
    [...warnings, ...judged.warnings],
  );
}

/** Whether each new pod takes the place of one that asks the same of a quota, and is deleted first. */
function hasRoomFor(
  { spec }: ExtendedDaemonSet,
  { spec: old }: ExtendedDaemonSet,
  status: ExtendedDaemonSet['status'],
): boolean {
  const { current = 0, desired = 0 } = status ?? {};
  return current > 0 && current >= desired && asksTheSameOfQuotas(spec.template, old.template);
}

/** The sentence begins with the field. */
function asFieldProblem(sentence: string): FieldProblem {
  const end = sentence.indexOf(' ');
  return { field: sentence.slice(0, end), message: sentence.slice(end + 1) };
}
