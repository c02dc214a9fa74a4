import { extendedDaemonSetLabels, extendedDaemonsetSettings } from '@atoll/api';
import { asLabelValue, byAge, compileSelector, instantOf, selectorMatches } from '@atoll/kube';
import type { Node, Pod, Selector, Stored } from '@atoll/kube';
import { isTerminating } from '../../children/child.ts';
import { whyMaybeLost, type InstalledDefinition } from '../../children/lost-with-definition.ts';
import { nodeSearch } from './node-search.ts';
import { settingProblem } from './setting-problem.ts';
import { referencedBy } from './setting-reference.ts';
import { unreadableSetting } from './unreadable-setting.ts';
import { settingConflict, settingWithoutReference, type ExtendedDaemonsetSetting } from '@atoll/api';

type Setting = Stored<ExtendedDaemonsetSetting>;

/** Which setting applies to each node, and what is wrong with settings. */
export interface ResolvedSettings {
  /** By the name of the node; also one that cannot be used, so that pods that were made with it stay. */
  readonly byNode: ReadonlyMap<string, Setting>;
  /** By the uid of the setting; undefined: it is valid. */
  readonly errors: ReadonlyMap<string, string | undefined>;
  /** Those that are in conflict or select nobody knows what, by the value of the label of pods that were made with them. */
  readonly inConflict: ReadonlyMap<string, Selecting>;
  /** Those that cannot be read, by their uid, with why. */
  readonly unreadable: ReadonlyMap<string, string>;
  /** Those of them whose nodes are not known, the newest first. */
  readonly ofUnknownNodes: readonly Setting[];
  /** All of the namespace, by the value of the label of pods that were made with them. */
  readonly present: ReadonlySet<string>;
  /** Of all settings. */
  readonly definition: InstalledDefinition;
}

/** The setting of a node. */
export interface NodeSetting {
  /** undefined: none applies. */
  readonly setting: Setting | undefined;
  /** What of a setting cannot be read that is for the node, or may be; undefined: nothing. */
  readonly unreadable?: string;
  /** The setting that the pod was made with, which is not there any more; undefined: there is none. */
  readonly gone?: string;
  /** Why nobody may have deleted that setting itself, in words; undefined: somebody did. */
  readonly lost?: string;
}

const everyNode: Selector = [];

interface Selecting {
  readonly setting: Setting;
  readonly selector: Selector;
}

/**
 * The settings of one object. The newest that selects a node applies to it, as in the old operator; one that shares a node with it is in
 * conflict and applies to no node. Settings of other objects do not take part (BUG-12), and the answer is of the nodes as they are now
 * (BUG-11). `ofOthers`: those of the namespace that name another object, or none that can be read. `definition`: of all settings.
 */
export function resolveSettings(
  settings: readonly Setting[],
  nodes: readonly Stored<Node>[],
  ofOthers: readonly Setting[] = [],
  definition?: InstalledDefinition,
): ResolvedSettings {
  const unread = unreadableAmong(settings, ofOthers);
  const byNode = new Map<string, Setting>();
  const errors = new Map<string, string | undefined>();
  const inConflict = new Map<string, Selecting>();
  const selecting = settings
    .filter((setting) => !isTerminating(setting))
    .sort((a, b) => byAge(b, a))
    .flatMap((setting) => {
      const { uid } = setting.metadata;
      if (unread.ofUnknownNodes.includes(setting)) {
        errors.set(uid, unread.unreadable.get(uid));
        return [];
      }
      const selector = selectorOf(setting);
      if (typeof selector !== 'string') return [{ setting, selector }];
      errors.set(uid, selector);
      // Which nodes it is for is not known: the pods that were made with it stay.
      inConflict.set(asLabelValue(setting.metadata.name), { setting, selector: everyNode });
      return [];
    });
  const matching = nodeSearch(nodes, selecting.length);
  // Of a node that is taken, the last setting in conflict there.
  const wantedBy = new Map<string, Setting>();
  for (const { setting, selector } of selecting) {
    const free: string[] = [];
    let taken: Setting | undefined;
    for (const { metadata } of matching(selector)) {
      const holder = byNode.get(metadata.name);
      if (holder !== undefined) {
        // Not the holder: each newer one would be a write of every status that names it.
        taken = wantedBy.get(metadata.name) ?? holder;
        wantedBy.set(metadata.name, setting);
        break;
      }
      free.push(metadata.name);
    }
    if (taken === undefined) for (const name of free) byNode.set(name, setting);
    else inConflict.set(asLabelValue(setting.metadata.name), { setting, selector });
    const conflict = taken === undefined ? undefined : settingConflict(taken.metadata.name);
    const { uid } = setting.metadata;
    errors.set(uid, conflict ?? unread.unreadable.get(uid) ?? settingProblem(setting.spec));
  }
  const present = presentAmong([...settings, ...ofOthers]);
  return { byNode, errors, inConflict, ...unread, present, definition };
}

function presentAmong(settings: readonly Setting[]): ReadonlySet<string> {
  const there = settings.filter((setting) => !isTerminating(setting));
  return new Set(there.map(({ metadata }) => asLabelValue(metadata.name)));
}

/** What of the settings cannot be read. One of another object is none of this one's, unless that is what cannot be read. */
function unreadableAmong(
  settings: readonly Setting[],
  ofOthers: readonly Setting[],
): Pick<ResolvedSettings, 'unreadable' | 'ofUnknownNodes'> {
  const own = new Set(settings);
  const found = [...settings, ...ofOthers]
    .filter((setting) => !isTerminating(setting))
    .flatMap((setting) => {
      const problem = unreadableSetting(setting);
      return problem !== undefined && (own.has(setting) || problem.unknown === 'object')
        ? [{ setting, ...problem }]
        : [];
    });
  return {
    unreadable: new Map(found.map(({ setting, problem }) => [setting.metadata.uid, problem])),
    ofUnknownNodes: found
      .flatMap(({ setting, unknown }) => (unknown === 'content' ? [] : [setting]))
      .sort((a, b) => byAge(b, a)),
  };
}

/** The setting of a node, and what is not known or not there of it. */
export function settingOf(
  resolved: ResolvedSettings,
  node: Stored<Node>,
  pod: Stored<Pod> | undefined,
): NodeSetting {
  const found = applyingTo(resolved, node, pod);
  const madeWith = pod?.metadata.labels?.[extendedDaemonSetLabels.settingName];
  if (pod === undefined || madeWith === undefined || resolved.present.has(madeWith)) return found;
  // Where another one applies, somebody has decided what the node is to have.
  const why = found.setting === undefined ? whySettingMaybeLost(pod, resolved.definition) : undefined;
  return { ...found, gone: madeWith, ...(why === undefined ? {} : { lost: why }) };
}

/** Where the setting is absent that a pod was made with. It was there then; what is written into the pod later has nothing to do with it. */
function whySettingMaybeLost({ metadata }: Stored<Pod>, definition: InstalledDefinition): string | undefined {
  return whyMaybeLost(extendedDaemonsetSettings, definition, instantOf(metadata.creationTimestamp) ?? 0);
}

/**
 * The setting of a node. Where none applies, one in conflict is that of the pod that was made with it, which stays: a newer setting costs the
 * pods of the nodes that it selects, and no others.
 */
function applyingTo(
  resolved: ResolvedSettings,
  { metadata: { name, labels } }: Stored<Node>,
  pod: Stored<Pod> | undefined,
): NodeSetting {
  const { byNode, inConflict, unreadable } = resolved;
  const applying = byNode.get(name);
  const madeWith = pod?.metadata.labels?.[extendedDaemonSetLabels.settingName];
  const mayApply = pod === undefined ? undefined : mayApplyTo(madeWith, applying, resolved);
  if (mayApply !== undefined) return { setting: applying, unreadable: whyUnreadable(mayApply, unreadable) };
  if (applying !== undefined && unreadable.has(applying.metadata.uid))
    return { setting: undefined, unreadable: whyUnreadable(applying, unreadable) };
  if (applying !== undefined || madeWith === undefined) return { setting: applying };
  const found = inConflict.get(madeWith);
  return {
    setting: found !== undefined && selectorMatches(found.selector, labels) ? found.setting : undefined,
  };
}

/**
 * A setting whose nodes are not known, where it may be the one of a node: the pod there was made with it, or the setting that applies is older, so that they
 * may have been in conflict, and the pod was not made with that one.
 */
function mayApplyTo(
  madeWith: string | undefined,
  applying: Setting | undefined,
  { ofUnknownNodes }: ResolvedSettings,
): Setting | undefined {
  const isOf = ({ metadata }: Setting): boolean => asLabelValue(metadata.name) === madeWith;
  return ofUnknownNodes.find((each) =>
    applying === undefined ? isOf(each) : byAge(applying, each) < 0 && !isOf(applying),
  );
}

function whyUnreadable(
  { metadata: { name, uid } }: Setting,
  unreadable: ResolvedSettings['unreadable'],
): string {
  return `the ExtendedDaemonsetSetting ${name} cannot be read: ${unreadable.get(uid) ?? ''}`;
}

function selectorOf(setting: Setting): Selector | string {
  if (referencedBy(setting) === '') return settingWithoutReference;
  const { spec } = setting;
  try {
    return compileSelector(spec.nodeSelector ?? {}, 'spec.nodeSelector');
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
