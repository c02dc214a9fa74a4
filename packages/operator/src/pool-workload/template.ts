import type { PoolWorkloadSpec, WorkloadTemplate } from '@atoll/api';
import type { ChildTemplate, RevisionData } from '../children/child-template.ts';
import { readOnce } from '../children/read-once.ts';
import type { ChildKind } from './child.ts';

type Fields = Readonly<Record<string, unknown>>;

export type PoolTemplate = ChildTemplate<ChildKind>;

/** The template that the spec gives, and how many replicas it asks for; undefined leaves them to whoever scales. */
export type GivenTemplate =
  | { readonly ok: true; readonly template: PoolTemplate; readonly replicas: number | undefined }
  | { readonly ok: false; readonly problem: string };

/** The member of `spec.workloadTemplate` for each kind of child. */
export const templateMembers = {
  Deployment: 'deploymentTemplate',
  StatefulSet: 'statefulSetTemplate',
} as const;

/** The schema requires a template; a spec without one is a problem all the same. */
export function readTemplate(spec: Pick<PoolWorkloadSpec, 'workloadTemplate'>): GivenTemplate {
  return read((spec as { readonly workloadTemplate?: WorkloadTemplate }).workloadTemplate ?? {});
}

const read = readOnce(readMembers);

function readMembers({ deploymentTemplate, statefulSetTemplate }: WorkloadTemplate): GivenTemplate {
  if (deploymentTemplate !== undefined && statefulSetTemplate !== undefined) {
    return problem('has both deploymentTemplate and statefulSetTemplate; exactly one is allowed');
  }
  if (deploymentTemplate !== undefined) return given('Deployment', deploymentTemplate);
  if (statefulSetTemplate !== undefined) return given('StatefulSet', statefulSetTemplate);
  return problem('has neither deploymentTemplate nor statefulSetTemplate; exactly one is required');
}

export const revisionData: RevisionData<ChildKind> = { write: toRevisionData, read: fromRevisionData };

/** The data of a ControllerRevision, in the old operator's shape. */
function toRevisionData(template: PoolTemplate): Fields {
  const { labels, annotations, spec } = template;
  const metadata = {
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
  const member = { ...(Object.keys(metadata).length === 0 ? {} : { metadata }), spec };
  return { spec: { workloadTemplate: { $patch: 'replace', [templateMembers[template.kind]]: member } } };
}

/** The template that a revision holds, ours or the old operator's. undefined: it is no revision of a pool workload. */
function fromRevisionData(data: unknown): PoolTemplate | undefined {
  const workloadTemplate = field(field(data, 'spec'), 'workloadTemplate');
  if (!isFields(workloadTemplate)) return undefined;
  const read = readTemplate({ workloadTemplate: workloadTemplate as WorkloadTemplate });
  return read.ok ? read.template : undefined;
}

/** The replicas that a revision of the old operator holds beside the template; undefined: none, as in all of ours. */
export function replicasInRevision(data: unknown): number | undefined {
  const workloadTemplate = field(field(data, 'spec'), 'workloadTemplate');
  if (!isFields(workloadTemplate)) return undefined;
  const read = readTemplate({ workloadTemplate: workloadTemplate as WorkloadTemplate });
  return read.ok ? read.replicas : undefined;
}

function given(
  kind: ChildKind,
  member: NonNullable<WorkloadTemplate[keyof WorkloadTemplate]>,
): GivenTemplate {
  const spec: unknown = member.spec;
  if (!isFields(spec)) return problem(`${templateMembers[kind]}.spec is missing`);
  const { replicas, selector: _theWorkloadsOwn, ...rest } = spec;
  const { labels = {}, annotations = {} } = member.metadata ?? {};
  const template = { kind, labels, annotations, spec: rest };
  return { ok: true, template, replicas: typeof replicas === 'number' ? replicas : undefined };
}

function problem(text: string): GivenTemplate {
  return { ok: false, problem: `spec.workloadTemplate ${text}` };
}

function field(value: unknown, name: string): unknown {
  return isFields(value) ? value[name] : undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
