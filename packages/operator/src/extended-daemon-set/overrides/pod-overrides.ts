import { compareTexts, normalised, semanticallyEqual, stableHash } from '@atoll/kube';
import type {
  Container,
  EnvVar,
  Node,
  Pod,
  PodTemplateSpec,
  ResourceRequirements,
  Stored,
} from '@atoll/kube';
import {
  extendedDaemonSetAnnotations as annotations,
  extendedDaemonSetLabels as labels,
  type ExtendedDaemonsetSetting,
} from '@atoll/api';
import { nodeResources, type UnknownContainer } from './node-resources.ts';
import { wasNotApplied } from './not-applied-before.ts';
import { readResources, type WrittenResources } from './read-resources.ts';

/** What a container of the template gets instead. */
export interface ContainerOverrides {
  /** They replace those of the template as a whole. */
  readonly resources?: ResourceRequirements;
  /** Each is added, or replaces that of the same name. */
  readonly env?: readonly EnvVar[];
}

/** What a node changes in the template of its pod: one result of its setting and its annotations. */
export interface PodOverrides {
  /** By the name of the container. */
  readonly containers: ReadonlyMap<string, ContainerOverrides>;
  readonly initContainers: ReadonlyMap<string, ContainerOverrides>;
  /** The setting that applies, for the labels of the pod. */
  readonly setting: Stored<ExtendedDaemonsetSetting> | undefined;
  /** The hash of the annotations alone, as the old operator writes it on pods. */
  readonly nodeHash: string | undefined;
  /** Of the result; undefined: nothing is changed. */
  readonly hash: string | undefined;
  /** What of them cannot be used: a new pod is made without it, and one that is there stays as it was made. */
  readonly problems: readonly string[];
  /** Annotations of the node that name no container of the template. */
  readonly unknown: readonly UnknownContainer[];
  /** What of a setting cannot be read that may be the node's: a pod that is there stays as it was made, also where its template is outdated. */
  readonly unreadable?: string;
  /** The setting that the pod was made with, which is not there any more; undefined: there is none. */
  readonly gone?: string;
  /** Why nobody may have deleted that setting itself, in words: the pod stays as it was made until its template is outdated; undefined: somebody did. */
  readonly lost?: string;
}

/**
 * The overrides of one node. An annotation replaces the resources of a container as a whole, and a setting those that no annotation
 * names. Only the result is compared later, so that two sources which disagree reach a fixed point (BUG-9).
 */
export function podOverrides(
  template: PodTemplateSpec,
  object: { readonly namespace?: string; readonly name: string },
  node: Stored<Node>,
  selecting: Stored<ExtendedDaemonsetSetting> | undefined,
  settingProblem?: string,
): PodOverrides {
  const containers = containersIn(template.spec?.containers).map(({ name }) => name);
  const {
    resources: ofNode,
    problems: ofAnnotations,
    unknown,
    nodeHash,
  } = nodeResources(node.metadata.annotations, object, containers);
  if (selecting === undefined && nodeHash === undefined) return nothingOverridden;
  const setting = settingProblem === undefined ? selecting : undefined;
  const problems =
    selecting === undefined || settingProblem === undefined
      ? ofAnnotations
      : [
          `the ExtendedDaemonsetSetting ${selecting.metadata.name} cannot be used: ${settingProblem}`,
          ...ofAnnotations,
        ];
  const ofSetting = ofContainers(setting?.spec.containers, containers);
  for (const [name, resources] of ofNode) ofSetting.set(name, { ...ofSetting.get(name), resources });
  const initNames = containersIn(template.spec?.initContainers).map(({ name }) => name);
  const ofInit = ofContainers(setting?.spec.initContainers, initNames);
  const hash =
    ofSetting.size + ofInit.size === 0 ? undefined : stableHash([meaningOf(ofSetting), meaningOf(ofInit)]);
  return { containers: ofSetting, initContainers: ofInit, setting, nodeHash, hash, problems, unknown };
}

/** Those that the template has. */
function ofContainers(
  written: ExtendedDaemonsetSetting['spec']['containers'],
  names: readonly string[],
): Map<string, ContainerOverrides> {
  const found = (written ?? []).filter(({ name }) => names.includes(name));
  return new Map(
    found.map(({ name, resources, env }) => [
      name,
      {
        ...(resources === undefined ? {} : { resources: readResources(resources as WrittenResources) }),
        ...(env === undefined ? {} : { env }),
      },
    ]),
  );
}

/** The same for overrides that make the same pod. */
function meaningOf(overrides: ReadonlyMap<string, ContainerOverrides>): unknown {
  return [...overrides]
    .sort(([a], [b]) => compareTexts(a, b))
    .map(([name, { resources = {}, env = [] }]) => [name, normalised({ resources }), env]);
}

/** Templates are not typed. Values that are not objects are left out; the API server refuses them in the pod. */
export function containersIn(given: readonly (Container | null)[] | undefined): readonly Container[] {
  return Array.isArray(given) ? given.filter((each): each is Container => each !== null) : [];
}

/** The containers of a template with what a node changes in them. A value that is not a list stays as it is: the API server refuses it. */
export function withOverrides(
  containers: readonly Container[],
  overrides: ReadonlyMap<string, ContainerOverrides>,
): readonly Container[] {
  if (!Array.isArray(containers)) return containers;
  return (containers as readonly (Container | null)[]).map((container) => {
    if (container === null) return container as unknown as Container;
    const { env, ...others } = overrides.get(container.name) ?? {};
    return {
      ...container,
      ...others,
      ...(env === undefined ? {} : { env: withVariables(container.env, env) }),
    };
  });
}

/** In the place of the one that it replaces: a variable may use those before it. */
function withVariables(declared: readonly EnvVar[] = [], given: readonly EnvVar[]): readonly EnvVar[] {
  const found = Array.isArray(declared) ? (declared as readonly EnvVar[]) : [];
  const byName = new Map(given.map((each) => [each.name, each]));
  const names = new Set(found.map(({ name }) => name));
  return [
    ...found.map((each) => byName.get(each.name) ?? each),
    ...given.filter(({ name }) => !names.has(name)),
  ];
}

/** Those of a node for which no setting and no annotation changes anything. */
export const nothingOverridden: PodOverrides = {
  containers: new Map(),
  initContainers: new Map(),
  setting: undefined,
  nodeHash: undefined,
  hash: undefined,
  problems: [],
  unknown: [],
};

/**
 * Whether the pod was made with these overrides. Ours carry the hash of them. One of the old operator has none, and is judged as by that: it is as
 * it should be where its hash of the annotations is the node's and the overrides would change nothing. So it stays where its setting is gone
 * (`hasFormerSetting`): whether that was before Atoll came cannot be known.
 */
export function hasOverrides(pod: Stored<Pod>, wanted: PodOverrides): boolean {
  const { annotations: noted = {} } = pod.metadata;
  const made = noted[annotations.overridesHash];
  if (made !== undefined) return made === (wanted.hash ?? noOverrides);
  if (noted[annotations.nodeHash] !== wanted.nodeHash) return false;
  // The old operator overrides resources of containers alone.
  if (wanted.initContainers.size > 0 || [...wanted.containers.values()].some(({ env }) => env !== undefined))
    return false;
  return (pod.spec?.containers ?? []).every(({ name, resources = {} }) => {
    const asked = wanted.containers.get(name)?.resources;
    return asked === undefined || covers(resources, asked);
  });
}

/** Whether the old operator made the pod with a setting, and none applies to its node now. */
export function hasFormerSetting({ metadata }: Stored<Pod>, wanted: PodOverrides): boolean {
  const { annotations: noted = {}, labels: found = {} } = metadata;
  const isOld = noted[annotations.overridesHash] === undefined && found[labels.settingName] !== undefined;
  const isKnown = wanted.problems.length === 0 && wanted.unreadable === undefined;
  return isOld && wanted.setting === undefined && isKnown;
}

/** Whether the old operator made the pod, as it is for the annotations of its node, and did not apply the setting, which has not changed since. */
export function isWithoutSetting({ metadata }: Stored<Pod>, { setting, nodeHash }: PodOverrides): boolean {
  const { annotations: noted = {} } = metadata;
  const isOld = noted[annotations.overridesHash] === undefined && noted[annotations.nodeHash] === nodeHash;
  return isOld && setting !== undefined && wasNotApplied(setting);
}

/** The hash of no overrides, so that a pod of ours always carries one. */
export const noOverrides = 'none';

/** The API server may add requests and limits of its own; what was asked for must be there. */
function covers(found: ResourceRequirements, asked: ResourceRequirements): boolean {
  return (['limits', 'requests'] as const).every((kind) =>
    Object.entries(asked[kind] ?? {}).every(([name, amount]) =>
      semanticallyEqual({ limits: { [name]: found[kind]?.[name] } }, { limits: { [name]: amount } }),
    ),
  );
}
