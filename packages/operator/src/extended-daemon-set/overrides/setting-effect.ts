import type { ExtendedDaemonSet, ExtendedDaemonsetSetting } from '@atoll/api';
import type { PodTemplateSpec, Stored } from '@atoll/kube';
import { isTerminating } from '../../children/child.ts';
import { containersIn } from './pod-overrides.ts';
import { referencedBy } from './setting-reference.ts';

type Setting = Stored<ExtendedDaemonsetSetting>;

/** What settings that can be used are for. */
export interface SettingSubject {
  /** The uids of the settings that apply to a node. */
  readonly applying: ReadonlySet<string>;
  readonly object: Stored<ExtendedDaemonSet> | undefined;
  /** Those of its replica sets, which pods are made of beside that of the object. */
  readonly templates: readonly PodTemplateSpec[];
}

/**
 * Why a setting that can be used changes no pod, or a part of it does not, with what helps; undefined: all of it does. Nothing is wrong
 * then: the object, or a node, may come later.
 */
export function whyUnused(
  { metadata: { uid }, spec }: Setting,
  { applying, object, templates }: SettingSubject,
): string | undefined {
  if (object === undefined || isTerminating(object)) {
    const name = referencedBy({ spec });
    return `no pod is made with it: there is no ExtendedDaemonSet ${name} in this namespace. Create it, or correct spec.reference.name`;
  }
  if (!applying.has(uid))
    return 'no pod is made with it: spec.nodeSelector matches no node. Label a node, or correct the selector';
  const { name } = object.metadata;
  const [own, all] = [object.spec.template, [object.spec.template, ...templates]];
  return (
    unknownIn('containers', 'container', spec.containers, own, all, name) ??
    unknownIn('initContainers', 'init container', spec.initContainers, own, all, name)
  );
}

function unknownIn(
  field: 'containers' | 'initContainers',
  what: string,
  overrides: ExtendedDaemonsetSetting['spec']['containers'] = [],
  own: PodTemplateSpec,
  all: readonly PodTemplateSpec[],
  object: string,
): string | undefined {
  const namesIn = (template: PodTemplateSpec): readonly string[] =>
    containersIn(template.spec?.[field]).map(({ name }) => name);
  const known = new Set(all.flatMap(namesIn));
  const unknown = overrides.find(({ name }) => !known.has(name));
  if (unknown === undefined) return undefined;
  const there = namesIn(own);
  const has = there.length === 0 ? `no ${what}` : `no ${what} of that name, but ${there.join(', ')}`;
  return `spec.${field}[${unknown.name}] changes no pod: the template of ${object} has ${has}. Correct the name`;
}
