import { isFields } from '@atoll/kube';
import type { PoolWorkloadSpec, WorkloadTemplate } from '@atoll/api';
import type { ChildTemplate } from '../children/child-template.ts';
import { readOnce } from '../children/read-once.ts';
import { templateData, templateIn } from '../children/revisions/template-data.ts';
import type { ChildKind } from './child.ts';

export type PoolTemplate = ChildTemplate<ChildKind>;

/** The template that the spec gives, and how many replicas it asks for; undefined leaves them to the one who scales. */
export type GivenTemplate =
  | { readonly ok: true; readonly template: PoolTemplate; readonly replicas: number | undefined }
  | { readonly ok: false; readonly problem: string };

/** The member of `spec.workloadTemplate` for each kind of child. */
export const templateMembers = {
  Deployment: 'deploymentTemplate',
  StatefulSet: 'statefulSetTemplate',
} as const;

/** The field of a workload that the fields of its children of this kind are made of. */
export function templateField(kind: ChildKind): string {
  return `spec.workloadTemplate.${templateMembers[kind]}`;
}

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

/** The data of a ControllerRevision, ours or the old operator's. */
export const revisionData = templateData<ChildKind>(
  'workloadTemplate',
  (kind) => templateMembers[kind],
  (template) => {
    const found = readMembers(template);
    return found.ok ? found.template : undefined;
  },
);

/** The replicas that a revision of the old operator holds beside the template; undefined: none, as in all of ours. */
export function replicasInRevision(data: unknown): number | undefined {
  const found = readMembers(templateIn(data, 'workloadTemplate') ?? {});
  return found.ok ? found.replicas : undefined;
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
