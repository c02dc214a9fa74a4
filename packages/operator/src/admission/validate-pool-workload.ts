import type { PoolWorkload } from '@atoll/api';
import { canonicalJson, type ApiStatus, type Clock, type Resource, type Stored } from '@atoll/kube';
import type { AdmissionAnswer, AdmissionRequest } from '@atoll/kube/webhook';
import { readTemplate, type PoolTemplate } from '../pool-workload/template.ts';
import { toWorkloadField, type FieldProblem } from './field-paths.ts';
import type { TrialVerdict } from './judge-refusal.ts';
import { trialsOf, type Trial } from './trials.ts';
import type { TryChildren } from './try-children.ts';
import { workloadFacts, type AdmissionReaders, type WorkloadFacts } from './workload-facts.ts';
import { workloadWarnings } from './workload-warnings.ts';

export interface PoolWorkloadAdmission {
  readonly resource: Resource<PoolWorkload>;
  readonly readers: AdmissionReaders;
  readonly tries: TryChildren;
  readonly clock: Clock;
}

const allowed = { allowed: true } as const;

/**
 * Lets the API server judge what would run in the pools, and warns of what is about to happen. Only what the request
 * changes is judged: an annotation or a finalizer can always be written, and a selector can be changed while the
 * template waits to be corrected.
 */
export async function validatePoolWorkload(
  admission: PoolWorkloadAdmission,
  request: AdmissionRequest,
): Promise<AdmissionAnswer> {
  const object = request.object as Stored<PoolWorkload> | undefined;
  const old = request.oldObject as Stored<PoolWorkload> | undefined;
  if (object === undefined || object.metadata.deletionTimestamp !== undefined) return allowed;
  if (old !== undefined && same(old.spec, object.spec)) return allowed;
  const { readers } = admission;
  if (![readers.nodePools, readers.deployments, readers.statefulSets].every(({ synced }) => synced)) {
    return { allowed: true, warnings: ['the template was not checked: Atoll has only just started'] };
  }
  const given = readTemplate(object.spec);
  const facts = workloadFacts(object, readers);
  // Neither passes the schema; where it does, the condition tells.
  if (!given.ok || facts === undefined) return allowed;
  const warnings = workloadWarnings(object.spec, old?.spec, facts);
  if (old !== undefined && hasSameTemplate(old, given.template)) return { allowed: true, warnings };
  const trials = trialsIn(admission, object, given.template, given.replicas, facts);
  const verdicts = await Promise.all(trials.map(async (trial) => admission.tries.verdictOf(trial)));
  return answerOf(admission.resource, object, trials, verdicts, warnings);
}

function trialsIn(
  { resource, clock }: PoolWorkloadAdmission,
  object: Stored<PoolWorkload>,
  template: PoolTemplate,
  replicas: number | undefined,
  { pools, children }: WorkloadFacts,
): readonly Trial[] {
  const alike = children.filter((child) => child.kind === template.kind);
  return trialsOf({
    owner: { resource, object },
    template,
    replicas,
    pools,
    children: new Map(alike.map((child) => [child.pool, child.object])),
    now: clock.now(),
  });
}

function answerOf(
  resource: Resource<PoolWorkload>,
  object: Stored<PoolWorkload>,
  trials: readonly Trial[],
  verdicts: readonly TrialVerdict[],
  known: readonly string[],
): AdmissionAnswer {
  const warnings = [...known];
  const invalid: { readonly trial: Trial; readonly problems: readonly FieldProblem[] }[] = [];
  for (const [index, trial] of trials.entries()) {
    const verdict = verdicts[index];
    if (verdict?.outcome === 'invalid') invalid.push({ trial, problems: verdict.problems });
    // A quota that has no room for one more child does not concern one that is there already.
    const concerns = trial.uid !== undefined || !trial.occupied;
    const where = `the ${trial.kind}${trial.pool === undefined ? '' : ` of pool ${trial.pool}`}`;
    if (verdict?.outcome === 'refused' && concerns)
      warnings.push(`${where} would be refused: ${verdict.why}`);
    if (verdict?.outcome === 'unknown') warnings.push(`${where} could not be checked: ${verdict.why}`);
  }
  // As new children are judged with exact paths, so what they say comes first and hides what changes of others say.
  const asNew = invalid.filter(({ trial }) => trial.uid === undefined);
  const problems = (asNew.length > 0 ? asNew : invalid).flatMap(({ trial, problems: found }) =>
    found.map(({ field, message }) => ({ field: toWorkloadField(field, trial.kind), message })),
  );
  const unique = [...new Map(problems.map((each) => [canonicalJson(each), each])).values()];
  if (unique.length === 0) return { allowed: true, warnings: [...new Set(warnings)] };
  return { allowed: false, warnings, status: invalidStatus(resource, object.metadata.name, unique) };
}

/** As the API server itself refuses an object. */
export function invalidStatus(
  { group, kind }: Resource<PoolWorkload>,
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

function hasSameTemplate(old: Stored<PoolWorkload>, template: PoolTemplate): boolean {
  const before = readTemplate(old.spec);
  return before.ok && same(before.template, template);
}

function same(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}
