import { canonicalJson, type ApiStatus, type KubeObject, type Resource } from '@atoll/kube';
import type { AdmissionAnswer } from '@atoll/kube/webhook';
import { isQuotaFull } from '../../engine/executor/answers/judge-trial.ts';
import { isOverdrawn } from '../../engine/executor/answers/overdrawn-quota.ts';
import type { FieldProblem } from '../../engine/problems/field-problem.ts';
import type { TrialVerdict } from './judge-refusal.ts';
import type { ExplainedTrial } from './trial.ts';
import type { TryChildren } from './try-children.ts';

/** What dry runs found. */
export interface Judgement {
  readonly problems: readonly FieldProblem[];
  readonly warnings: readonly string[];
}

/** Lets the API server judge all at once. */
export async function judgeTrials(
  tries: Pick<TryChildren, 'verdictOf'>,
  trials: readonly ExplainedTrial[],
): Promise<Judgement> {
  const verdicts = await Promise.all(trials.map(async ({ trial }) => tries.verdictOf(trial)));
  const warnings: string[] = [];
  const invalid: { readonly asNew: boolean; readonly problems: readonly FieldProblem[] }[] = [];
  for (const [index, { trial, what, toOwner, podsOnly = false, hasRoom = false }] of trials.entries()) {
    const verdict = verdicts[index];
    const asNew = trial.uid === undefined;
    const found = verdict?.outcome === 'invalid' ? verdict.problems : [];
    const relevant = podsOnly ? found.filter(({ field }) => /^\.?spec\.template\b/.test(field)) : found;
    const problems = relevant.flatMap((problem) => toOwner(problem) ?? []);
    if (problems.length > 0) invalid.push({ asNew, problems });
    if (podsOnly) continue;
    // A quota that has no room for one more child does not concern one that is there already.
    const isFull =
      verdict?.outcome === 'refused' && isQuotaFull(verdict.why) && !isOverdrawn(verdict.why, hasRoom);
    const concerns = (!asNew || !trial.occupied) && !(hasRoom && isFull);
    warnings.push(...warningsOf(verdict, what, concerns));
  }
  // As new children are judged with exact paths, so their problems come first and hide those of changes.
  const found = invalid.some(({ asNew }) => asNew) ? invalid.filter(({ asNew }) => asNew) : invalid;
  return { problems: found.flatMap(({ problems }) => problems), warnings };
}

function warningsOf(verdict: TrialVerdict | undefined, what: string, concerns: boolean): readonly string[] {
  if (verdict?.outcome === 'refused' && concerns) return [`${what} would be refused: ${verdict.why}`];
  if (verdict?.outcome === 'unknown') return [`${what} could not be checked: ${verdict.why}`];
  return [];
}

/** Refuses where there are problems, each listed once. */
export function answerWith(
  resource: Resource<KubeObject>,
  name: string,
  problems: readonly FieldProblem[],
  warnings: readonly string[],
): AdmissionAnswer {
  const unique = [...new Map(problems.map((each) => [canonicalJson(each), each])).values()];
  if (unique.length === 0) return { allowed: true, warnings: [...new Set(warnings)] };
  return { allowed: false, warnings, status: invalidStatus(resource, name, unique) };
}

/** As the API server itself refuses an object. */
function invalidStatus(
  { group, kind }: Resource<KubeObject>,
  name: string,
  problems: readonly FieldProblem[],
): ApiStatus {
  const texts = problems.map(({ field, message }) => `${field}: ${message}`);
  const list = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  return {
    kind: 'Status',
    status: 'Failure',
    code: 422,
    reason: 'Invalid',
    message: `${kind}.${group} ${JSON.stringify(name)} is invalid: ${list}`,
    details: {
      name,
      group,
      kind,
      causes: problems.map(({ field, message }) => ({ reason: 'FieldValueInvalid', message, field })),
    },
  };
}
