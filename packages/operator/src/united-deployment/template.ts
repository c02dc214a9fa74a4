import { isFields, type Fields } from '@atoll/kube';
import type { SubsetWorkloadTemplate, UnitedDeploymentSpec } from '@atoll/api';
import type { ChildTemplate } from '../children/child-template.ts';
import { readOnce } from '../children/read-once.ts';
import { templateData } from '../children/revisions/template-data.ts';
import { childKinds, kindFacts, type ChildKind } from './subsets/child-kind.ts';

export type SubsetTemplate = ChildTemplate<ChildKind>;

/** The template that the spec gives. */
export type GivenTemplate =
  { readonly ok: true; readonly template: SubsetTemplate } | { readonly ok: false; readonly problem: string };

/** The schema requires a template; a spec without one is a problem all the same. */
export function readTemplate(spec: Pick<UnitedDeploymentSpec, 'template'>): GivenTemplate {
  return read((spec as { readonly template?: SubsetWorkloadTemplate }).template ?? {});
}

/** The field of a UnitedDeployment that the fields of its children of this kind are made of. */
export function templateField(kind: ChildKind): string {
  return `spec.template.${kindFacts[kind].member}`;
}

const read = readOnce(readMembers);

function readMembers(template: SubsetWorkloadTemplate): GivenTemplate {
  const given = childKinds.filter((kind) => isFields(template[kindFacts[kind].member]));
  const [kind] = given;
  const members = (kinds: readonly ChildKind[]) => kinds.map((each) => kindFacts[each].member).join(', ');
  if (kind === undefined) {
    return problem(`has no template; exactly one of ${members(childKinds)} is required`);
  }
  if (given.length > 1) return problem(`has ${members(given)}; exactly one is allowed`);
  const { member } = kindFacts[kind];
  const { metadata, spec } = template[member] ?? {};
  if (!isFields(spec)) return problem(`.${member}.spec is missing`);
  const { replicas: _allocated, selector: _theOwners, ...rest } = spec as Fields;
  const { labels = {}, annotations = {} } = metadata ?? {};
  return { ok: true, template: { kind, labels, annotations, spec: rest } };
}

/** The data of a ControllerRevision, in Kruise's shape. */
export const revisionData = templateData<ChildKind>(
  'template',
  (kind) => kindFacts[kind].member,
  (template) => {
    const found = readMembers(template);
    return found.ok ? found.template : undefined;
  },
);

function problem(text: string): GivenTemplate {
  return { ok: false, problem: `spec.template${text.startsWith('.') ? '' : ' '}${text}` };
}
