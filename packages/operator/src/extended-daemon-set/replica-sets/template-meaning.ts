import { normalisedOnce, stableHash } from '@atoll/kube';
import type { CanonicalText, Fields, PodTemplateSpec } from '@atoll/kube';
import type { PodTemplate } from '../../children/child.ts';
import { plainPodMeaning } from '../../children/pods/pod-meaning.ts';

/** What the old schema wrote into a template by default, by the field that holds the object: absent means the same. */
const defaultsIn: Readonly<Record<string, Fields>> = {
  ports: { protocol: 'TCP' },
  azureDisk: { fsType: 'ext4', readOnly: false, cachingMode: 'ReadWrite', kind: 'Shared' },
  iscsi: { iscsiInterface: 'default' },
  rbd: { keyring: '/etc/ceph/keyring', pool: 'rbd', user: 'admin' },
  scaleIO: { fsType: 'xfs', storageMode: 'ThinProvisioned' },
};

/** Below these fields every key is a name of the user's own. */
const ofUser = new Set(['labels', 'annotations', 'nodeSelector', 'matchLabels', 'limits', 'requests']);

/**
 * The meaning of a template as one text, equal where two templates mean the same: quantities by amount, without what is empty, without
 * defaults of the old schema, without the name, which its controller emptied.
 */
const templateMeaning: (template: PodTemplateSpec) => CanonicalText = normalisedOnce(
  ({ metadata, spec }: PodTemplateSpec) => meaningWith(metadata, spec),
);

/** What a replica set and a PodTemplate carry of the template that they were made of. */
export function templateHash(template: PodTemplateSpec): string {
  return stableHash(templateMeaning(template), 32);
}

/** The same meaning, and without what stays in the hashes although it makes no difference: what the API server fills in, or does not keep, in a pod. */
const comparedMeaning: (template: PodTemplateSpec) => CanonicalText = normalisedOnce(
  ({ metadata, spec }: PodTemplateSpec) => plainPodMeaning(meaningWith(metadata, spec)),
);

function meaningWith(metadata: PodTemplateSpec['metadata'], spec: unknown): PodTemplate {
  const { labels, annotations } = metadata ?? {};
  return {
    metadata: { labels, annotations },
    spec: withoutDefaults(spec ?? undefined, '', maxLevels),
  } as PodTemplate;
}

/** Whether the second template would make other pods than the first. */
export function sameTemplate(a: PodTemplateSpec, b: PodTemplateSpec): boolean {
  return a === b || comparedMeaning(a).text === comparedMeaning(b).text;
}

/** More than a pod template has; what is deeper is compared as it is. */
const maxLevels = 40;

function withoutDefaults(value: unknown, field: string, levels: number): unknown {
  if (typeof value !== 'object' || value === null || levels === 0 || ofUser.has(field)) return value;
  if (Array.isArray(value)) return value.map((item) => withoutDefaults(item, field, levels - 1));
  const defaults = defaultsIn[field] ?? {};
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, each]) => !Object.hasOwn(defaults, name) || defaults[name] !== each)
      .map(([name, each]) => [name, withoutDefaults(each, name, levels - 1)]),
  );
}
