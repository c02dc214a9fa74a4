import { isFields, type Fields } from '@atoll/kube';
import type { ChildTemplate, RevisionData } from '../child-template.ts';
import { readOnce } from '../read-once.ts';

/** The template in the data of a ControllerRevision, under `spec.<field>`; undefined: there is none. */
export function templateIn(data: unknown, field: string): Fields | undefined {
  const spec = isFields(data) ? data['spec'] : undefined;
  const template = isFields(spec) ? spec[field] : undefined;
  return isFields(template) ? template : undefined;
}

/**
 * The data of a ControllerRevision in the shape of the old operators: `spec.<field>`, to be replaced as a whole, with one
 * member, as which `memberOf` names the kind of the child.
 */
export function templateData<Kind extends string>(
  field: string,
  memberOf: (kind: Kind) => string,
  read: (template: Fields) => ChildTemplate<Kind> | undefined,
): RevisionData<Kind> {
  const once = readOnce(read);
  return {
    write: ({ kind, labels, annotations, spec }) => {
      const metadata = {
        ...(Object.keys(labels).length === 0 ? {} : { labels }),
        ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      };
      const member = { ...(Object.keys(metadata).length === 0 ? {} : { metadata }), spec };
      return { spec: { [field]: { $patch: 'replace', [memberOf(kind)]: member } } };
    },
    read: (data) => {
      const template = templateIn(data, field);
      return template === undefined ? undefined : once(template);
    },
  };
}
