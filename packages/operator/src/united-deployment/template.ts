import type { SubsetWorkloadTemplate, UnitedDeploymentSpec } from '@atoll/api';
import type { ChildTemplate, RevisionData } from '../children/child-template.ts';
import { readOnce } from '../children/read-once.ts';
import { childKinds, kindFacts, type ChildKind } from './child-kind.ts';

type Fields = Readonly<Record<string, unknown>>;

export type SubsetTemplate = ChildTemplate<ChildKind>;

/** The template that the spec gives. */
export type GivenTemplate =
  { readonly ok: true; readonly template: SubsetTemplate } | { readonly ok: false; readonly problem: string };

/** The schema requires a template; a spec without one is a problem all the same. */
export function readTemplate(spec: Pick<UnitedDeploymentSpec, 'template'>): GivenTemplate {
  return read((spec as { readonly template?: SubsetWorkloadTemplate }).template ?? {});
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

/** The data of a ControllerRevision, in Kruise's shape: `spec.template`, to be replaced as a whole. */
export const revisionData: RevisionData<ChildKind> = {
  write: ({ kind, labels, annotations, spec }) => {
    const metadata = {
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    };
    const member = { ...(Object.keys(metadata).length === 0 ? {} : { metadata }), spec };
    return { spec: { template: { $patch: 'replace', [kindFacts[kind].member]: member } } };
  },
  read: (data) => {
    const spec = isFields(data) ? data['spec'] : undefined;
    const template = isFields(spec) ? spec['template'] : undefined;
    if (!isFields(template)) return undefined;
    const given = readTemplate({ template: template as SubsetWorkloadTemplate });
    return given.ok ? given.template : undefined;
  },
};

function problem(text: string): GivenTemplate {
  return { ok: false, problem: `spec.template${text.startsWith('.') ? '' : ' '}${text}` };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
