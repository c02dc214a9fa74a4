import type { UnitedDeployment } from '@atoll/api';
import { type Clock, type KubeObject, type Resource, type Stored } from '@atoll/kube';
import type { AdmissionAnswer, AdmissionRequest } from '@atoll/kube/webhook';
import { sameJson } from '../../engine/same-meaning.ts';
import { isServed } from '../../places/reader-of.ts';
import { readTemplate, type SubsetTemplate } from '../../united-deployment/template.ts';
import { withoutNulls } from '../../united-deployment/rendering/without-nulls.ts';
import { changedSubsets, type ChangedSubset } from './changed-subsets.ts';
import { identityProblems } from '../identity-problems.ts';
import { answerWith, judgeTrials, type Judgement } from '../trials/judge-trials.ts';
import { subsetProblems } from './subset-problems.ts';
import { subsetTrials } from './subset-trials.ts';
import type { TryChildren } from '../trials/try-children.ts';
import {
  areSynced,
  unitedDeploymentFacts,
  whyUnreadable,
  type UnitedDeploymentFacts,
  type UnitedDeploymentReaders,
} from './united-deployment-facts.ts';
import { unitedDeploymentWarnings } from './united-deployment-warnings.ts';

export interface UnitedDeploymentAdmission {
  readonly resource: Resource<UnitedDeployment>;
  readonly readers: UnitedDeploymentReaders;
  readonly tries: TryChildren;
  readonly clock: Clock;
}

const allowed = { allowed: true } as const;

/**
 * Lets the API server judge what would run in the subsets, and warns of what is about to happen. Only what the request
 * changes is judged, so that an annotation can always be written and a number changed while a template waits to be
 * corrected. A total is never refused: a scale is not validated either.
 */
export async function validateUnitedDeployment(
  admission: UnitedDeploymentAdmission,
  request: AdmissionRequest,
): Promise<AdmissionAnswer> {
  if (request.object === undefined || request.object.metadata.deletionTimestamp !== undefined) return allowed;
  const object = withoutNulls(request.object as Stored<UnitedDeployment>);
  const { oldObject } = request;
  const old = oldObject === undefined ? undefined : withoutNulls(oldObject as Stored<UnitedDeployment>);
  if (old !== undefined && sameJson(old.spec, object.spec)) return allowed;
  const given = readTemplate(object.spec);
  // The schema refuses it; where it does not, the condition shows it.
  if (!given.ok) return allowed;
  const { readers, resource } = admission;
  const { kind } = given.template;
  const changed = changedSubsets(object, old);
  const ofIdentity = changed.flatMap((each) => identityProblems(each, object.spec, given.template));
  const problems = [...changed.flatMap(subsetProblems), ...ofIdentity];
  const answer = (judged: Judgement, warnings: readonly string[]): AdmissionAnswer =>
    answerWith(
      resource as Resource<KubeObject>,
      object.metadata.name,
      [...problems, ...judged.problems],
      [...warnings, ...judged.warnings],
    );
  if (!areSynced(readers, kind)) {
    const unreadable = whyUnreadable(readers, kind);
    const why =
      unreadable === undefined ? 'Atoll has only just started' : `${kind}s cannot be read: ${unreadable}`;
    return answer(nothing, [`the template was not checked: ${why}`]);
  }
  const facts = unitedDeploymentFacts(object, readers);
  const warnings = unitedDeploymentWarnings(object, old, given.template, facts);
  if (!isServed(readers, kind)) {
    const missing = `nothing runs and the template was not checked: this cluster has no ${kind}, which OpenKruise brings`;
    return answer(nothing, [missing, ...warnings]);
  }
  const refused = new Set(ofIdentity.map(({ field }) => field));
  return answer(
    await judged(admission, { object, old, template: given.template, changed, refused }, facts),
    warnings,
  );
}

const nothing: Judgement = { problems: [], warnings: [] };

interface Asked {
  readonly object: Stored<UnitedDeployment>;
  readonly old: Stored<UnitedDeployment> | undefined;
  readonly template: SubsetTemplate;
  readonly changed: readonly ChangedSubset[];
  /** Fields of patches about which there is nothing left to ask. */
  readonly refused: ReadonlySet<string>;
}

async function judged(
  { resource, tries, clock }: UnitedDeploymentAdmission,
  { object, old, template, changed, refused }: Asked,
  { children }: UnitedDeploymentFacts,
): Promise<Judgement> {
  const alike = children.filter((child) => child.kind === template.kind);
  const { ofTemplate, ofPlaces, ofPatches, problems, warnings } = subsetTrials({
    owner: { resource: resource as Resource<KubeObject>, object },
    template,
    changed,
    refused,
    before: old !== undefined && hasSameTemplate(old, template) ? old.spec.topology?.subsets : undefined,
    // Of duplicate children the one that serves comes first, and so is put last.
    children: new Map(alike.reverse().map(({ place, object: child }) => [place, child])),
    now: clock.now(),
  });
  const [own, placed, patched] = await Promise.all([
    judgeTrials(tries, ofTemplate),
    judgeTrials(tries, ofPlaces),
    judgeTrials(tries, ofPatches),
  ]);
  const unpatched = [...own.problems, ...placed.problems];
  const found = unpatched.length > 0 ? unpatched : patched.problems;
  return { problems: [...problems, ...found], warnings: [...warnings, ...own.warnings, ...patched.warnings] };
}

function hasSameTemplate(old: Stored<UnitedDeployment>, template: SubsetTemplate): boolean {
  const before = readTemplate(old.spec);
  return before.ok && sameJson(before.template, template);
}
