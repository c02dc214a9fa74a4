import { annotations, type Subset, type UnitedDeployment } from '@atoll/api';
import { canonicalJson, stableHash } from '@atoll/kube';
import type { Instant, Stored } from '@atoll/kube';
import type { ChildWorkload } from '../../children/child.ts';
import { childName } from '../../children/names.ts';
import { triedRevision } from '../../children/revisions/revision.ts';
import { toTemplateField } from '../../engine/problems/template-field.ts';
import { kindFacts } from '../../united-deployment/subsets/child-kind.ts';
import { finishChild } from '../../united-deployment/rendering/finish-child.ts';
import type { Owner } from '../../united-deployment/observe.ts';
import type { RenderInput } from '../../united-deployment/rendering/render-child.ts';
import { renderPods } from '../../united-deployment/rendering/render-pods.ts';
import { templateField, type SubsetTemplate } from '../../united-deployment/template.ts';
import type { ChangedSubset } from './changed-subsets.ts';
import type { FieldProblem } from '../../engine/problems/field-problem.ts';
import { canBeTried } from '../trials/can-be-tried.ts';
import { placedField } from '../trials/placed-field.ts';
import { podsTrial } from './pods-trial.ts';
import type { ChildTrial, ExplainedTrial } from '../trials/trial.ts';

export interface SubsetTrialInput {
  readonly owner: Owner;
  readonly template: SubsetTemplate;
  /** As its user wrote it before; undefined: the UnitedDeployment is new, or its template is. */
  readonly before: readonly Subset[] | undefined;
  readonly changed: readonly ChangedSubset[];
  /** Fields of patches that are refused without a trial. */
  readonly refused: ReadonlySet<string>;
  /** Live children of the template's kind, by subset. */
  readonly children: ReadonlyMap<string, Stored<ChildWorkload>>;
  readonly now: Instant;
}

export interface SubsetTrials {
  readonly ofTemplate: readonly ExplainedTrial[];
  /** Of what depends on the cluster in where subsets run. */
  readonly ofPlaces: readonly ExplainedTrial[];
  /** What they bring up is the patch's alone only where the others are fine. */
  readonly ofPatches: readonly ExplainedTrial[];
  /** Patches that cannot be merged. */
  readonly problems: readonly FieldProblem[];
  /** Of patches that are not tried. */
  readonly warnings: readonly string[];
}

/**
 * More than the different patches that people write. All are asked at once, so that the client's bound on requests in
 * flight makes a few rounds of them, well within the time that the API server waits for a webhook.
 */
const maxPatches = 20;

/**
 * The children that stand for all. Where subsets run hardly changes whether the API server takes them, and its syntax is
 * looked at without it (`subset-problems.ts`); so the template is tried once without any patch, as a new child
 * because that is judged field by field, and once as a change of a child that is there, because some fields cannot be
 * changed. Each different patch that is new is tried too; what it brings up is its own.
 */
export function subsetTrials(input: SubsetTrialInput): SubsetTrials {
  const subsets = input.owner.object.spec.topology?.subsets ?? [];
  const known = new Map(input.before?.map(({ name, patch }) => [name, canonicalJson(patch ?? null)]));
  const ofPatches: ExplainedTrial<ChildTrial>[] = [];
  const untried: string[] = [];
  const problems: FieldProblem[] = [];
  const [first] = subsets;
  const isNew = input.before === undefined && first !== undefined;
  const seen = new Set<string>();
  for (const [index, subset] of subsets.entries()) {
    const { name, patch } = subset;
    if (isEmpty(patch)) continue;
    const field = `spec.topology.subsets[${index}].patch`;
    if (input.refused.has(field)) continue;
    const text = canonicalJson(patch);
    if (known.get(name) === text || seen.has(text)) continue;
    seen.add(text);
    const rendered = renderPods(input.template, { name, spec: subset });
    if (!rendered.ok) problems.push({ field, message: `subset ${name}: ${rendered.problem}` });
    else if (ofPatches.length < maxPatches) ofPatches.push(patchTrial(input, subset, field));
    else untried.push(name);
  }
  const { optional } = kindFacts[input.template.kind];
  const withPods = (each: ExplainedTrial<ChildTrial>): readonly ExplainedTrial[] =>
    optional && each.trial.uid === undefined ? [each, podsTrial(each)] : [each];
  return {
    ofTemplate: isNew ? templateTrials(input, subsets, first).flatMap(withPods) : [],
    ofPlaces: placeTrials(input).flatMap(withPods),
    ofPatches: ofPatches.flatMap(withPods),
    problems,
    warnings: aboutUntried(untried),
  };
}

function aboutUntried([first, ...others]: readonly string[]): readonly string[] {
  if (first === undefined) return [];
  const which =
    others.length === 0
      ? `1 patch was not checked, that of subset ${first}`
      : `${others.length + 1} patches were not checked, the first of them that of subset ${first}`;
  return [
    `${which}: one write has ${maxPatches} different ones checked; errors in others show in the conditions when their children are written`,
  ];
}

function templateTrials(
  input: SubsetTrialInput,
  subsets: readonly Subset[],
  first: Subset,
): readonly ExplainedTrial<ChildTrial>[] {
  const occupied = subsets.find(({ name }) => input.children.has(name));
  const stands = occupied ?? first;
  const { kind } = input.template;
  const toOwner = ({ field, message }: FieldProblem): FieldProblem | undefined =>
    placedField(field, input.template) === undefined
      ? { field: toTemplateField(field, templateField(kind)), message }
      : undefined;
  const tried = (live?: Stored<ChildWorkload>): ExplainedTrial<ChildTrial> => ({
    trial: trialOf(input, { ...stands, patch: {} }, live),
    what: `the ${kind} of subset ${stands.name}`,
    toOwner,
  });
  const live = input.children.get(stands.name);
  if (live === undefined) return [tried()];
  const changed = tried(live);
  return canBeTried(changed.trial.object, live) ? [tried(), changed] : [tried()];
}

/** Whether taints are compared by number is the same for all subsets: a feature gate of the API server. */
function placeTrials(input: SubsetTrialInput): readonly ExplainedTrial<ChildTrial>[] {
  const comparing = input.changed.find(
    ({ subset, changes }) =>
      changes('tolerations') &&
      subset.tolerations?.some(({ operator }) => operator === 'Lt' || operator === 'Gt'),
  );
  if (comparing === undefined) return [];
  const { subset, index } = comparing;
  return [
    {
      trial: trialOf(input, { ...subset, patch: {} }, undefined),
      what: `the ${input.template.kind} of subset ${subset.name}`,
      toOwner: ({ field, message }) => {
        const placed = placedField(field, input.template);
        if (placed === undefined) return undefined;
        return {
          field: `spec.topology.subsets[${index}].${placed}`,
          message: `subset ${subset.name}: ${message}`,
        };
      },
      podsOnly: true,
    },
  ];
}

function patchTrial(input: SubsetTrialInput, subset: Subset, field: string): ExplainedTrial<ChildTrial> {
  const { kind } = input.template;
  return {
    trial: trialOf(input, subset, undefined),
    what: `the ${kind} of subset ${subset.name}`,
    toOwner: (problem) => ({
      field,
      message: `subset ${subset.name}: with this patch, ${toTemplateField(problem.field, templateField(kind))}: ${problem.message}`,
    }),
  };
}

function trialOf(
  { owner, template, children, now }: SubsetTrialInput,
  subset: Subset,
  live: Stored<ChildWorkload> | undefined,
): ChildTrial {
  const { metadata, spec } = owner.object;
  const { name } = subset;
  const revision = triedRevision(metadata.name, template);
  const input: RenderInput = {
    owner,
    subset: { name, spec: subset },
    name: live?.metadata.name ?? childName(metadata, name),
    revision,
    replicas: live?.spec?.replicas ?? 1,
    partition: 0,
    maxUnavailable: undefined,
    patchText: live?.metadata.annotations?.[annotations.subsetPatch],
    // What is tried is what the user asks for now.
    asksForOtherOrdinals: true,
    keptNumber: undefined,
  };
  const { uid, generation } = live?.metadata ?? {};
  const { nodeSelectorTerm, tolerations, patch } = subset;
  const content = [metadata.namespace, template, spec.selector, nodeSelectorTerm, tolerations, patch];
  return {
    key: stableHash([content.map((each) => each ?? null), uid ?? null, generation ?? null], 20),
    resource: kindFacts[template.kind].resource,
    object: finishChild(input, live, now),
    uid,
    occupied: children.has(name),
  };
}

function isEmpty(patch: UnitedDeployment['spec'] | object | null | undefined): boolean {
  return patch === undefined || patch === null || Object.keys(patch).length === 0;
}
