import type { PoolWorkload } from '@atoll/api';
import { type Clock, type KubeObject, type Resource, type Stored } from '@atoll/kube';
import type { AdmissionAnswer, AdmissionRequest } from '@atoll/kube/webhook';
import { sameJson } from '../../engine/same-meaning.ts';
import { readTemplate, type PoolTemplate } from '../../pool-workload/template.ts';
import { toWorkloadField } from '../trials/field-paths.ts';
import { answerWith, judgeTrials } from '../trials/judge-trials.ts';
import type { ExplainedTrial } from '../trials/trial.ts';
import { trialsOf, type PoolTrial } from '../trials/trials.ts';
import type { TryChildren } from '../trials/try-children.ts';
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
  if (old !== undefined && sameJson(old.spec, object.spec)) return allowed;
  const { readers } = admission;
  if (![readers.nodePools, readers.deployments, readers.statefulSets].every(({ synced }) => synced)) {
    return { allowed: true, warnings: ['the template was not checked: Atoll has only just started'] };
  }
  const given = readTemplate(object.spec);
  const facts = workloadFacts(object, readers);
  // The schema refuses both; where it does not, the condition shows it.
  if (!given.ok || facts === undefined) return allowed;
  const warnings = workloadWarnings(object.spec, old?.spec, facts);
  if (old !== undefined && hasSameTemplate(old, given.template)) return { allowed: true, warnings };
  const trials = trialsIn(admission, object, given.template, given.replicas, facts);
  const judgement = await judgeTrials(admission.tries, trials.map(explain));
  const warned = [...warnings, ...judgement.warnings];
  return answerWith(
    admission.resource as Resource<KubeObject>,
    object.metadata.name,
    judgement.problems,
    warned,
  );
}

function trialsIn(
  { resource, clock }: PoolWorkloadAdmission,
  object: Stored<PoolWorkload>,
  template: PoolTemplate,
  replicas: number | undefined,
  { pools, children }: WorkloadFacts,
): readonly PoolTrial[] {
  const alike = children.filter((child) => child.kind === template.kind);
  return trialsOf({
    owner: { resource, object },
    template,
    replicas,
    pools,
    children: new Map(alike.map((child) => [child.place, child.object])),
    now: clock.now(),
  });
}

function explain(trial: PoolTrial): ExplainedTrial {
  const { kind, pool } = trial;
  return {
    trial,
    what: `the ${kind}${pool === undefined ? '' : ` of pool ${pool}`}`,
    toOwner: ({ field, message }) => ({ field: toWorkloadField(field, kind), message }),
  };
}

function hasSameTemplate(old: Stored<PoolWorkload>, template: PoolTemplate): boolean {
  const before = readTemplate(old.spec);
  return before.ok && sameJson(before.template, template);
}
