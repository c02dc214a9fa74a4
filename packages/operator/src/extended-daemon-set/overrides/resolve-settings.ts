import { extendedDaemonSetLabels } from '@atoll/api';
import { asLabelValue, byAge, compileSelector, selectorMatches } from '@atoll/kube';
import type { Node, Pod, Selector, Stored } from '@atoll/kube';
import { isTerminating } from '../../children/child.ts';
import { nodeSearch } from './node-search.ts';
import { settingProblem } from './setting-problem.ts';
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
}

const everyNode: Selector = [];

interface Selecting {
  readonly setting: Setting;
  readonly selector: Selector;
}

/**
 * The settings of one object. The newest that selects a node applies to it, as in the old operator; one that shares a node with it is in
 * conflict and applies to no node. Settings of other objects do not take part (BUG-12), and the answer is of the nodes as they are now
 * (BUG-11).
 */
export function resolveSettings(
  settings: readonly Setting[],
  nodes: readonly Stored<Node>[],
): ResolvedSettings {
  const byNode = new Map<string, Setting>();
  const errors = new Map<string, string | undefined>();
  const inConflict = new Map<string, Selecting>();
  const selecting = settings
    .filter((setting) => !isTerminating(setting))
    .sort((a, b) => byAge(b, a))
    .flatMap((setting) => {
      const selector = selectorOf(setting);
      if (typeof selector !== 'string') return [{ setting, selector }];
      errors.set(setting.metadata.uid, selector);
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
    errors.set(setting.metadata.uid, conflict ?? settingProblem(setting.spec));
  }
  return { byNode, errors, inConflict };
}

/**
 * The setting of a node. Where none applies, one in conflict is that of the pod that was made with it, which stays: a newer setting costs the
 * pods of the nodes that it selects, and no others.
 */
export function settingOf(
  { byNode, inConflict }: ResolvedSettings,
  { metadata: { name, labels } }: Stored<Node>,
  pod: Stored<Pod> | undefined,
): Setting | undefined {
  const applying = byNode.get(name);
  const madeWith = pod?.metadata.labels?.[extendedDaemonSetLabels.settingName];
  if (applying !== undefined || madeWith === undefined) return applying;
  const found = inConflict.get(madeWith);
  return found !== undefined && selectorMatches(found.selector, labels) ? found.setting : undefined;
}

function selectorOf({ spec }: Setting): Selector | string {
  if ((spec.reference?.name ?? '') === '') return settingWithoutReference;
  try {
    return compileSelector(spec.nodeSelector ?? {}, 'spec.nodeSelector');
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
