import { extendedDaemonSetLabels as labels, type ExtendedDaemonsetSetting } from '@atoll/api';
import { byAge, type Node, type Pod, type Stored } from '@atoll/kube';

type Setting = Stored<ExtendedDaemonsetSetting>;

/** Which settings of one ExtendedDaemonSet apply, as users read it in docs/users/extended-daemon-set.md; not by the operator's own code. */
export interface WantedSettings {
  readonly applying: readonly Setting[];
  /** They select a node that a newer one applies to, and so apply to no node. */
  readonly inConflict: readonly Setting[];
}

/** `settings`: those of one object. Selectors are labels, or empty and for every node. */
export function wantedSettings(settings: readonly Setting[], nodes: readonly Stored<Node>[]): WantedSettings {
  const applying: Setting[] = [];
  const inConflict: Setting[] = [];
  for (const setting of settings.toSorted((a, b) => byAge(b, a))) {
    const shares = nodes.some(
      (node) => selects(setting, node) && applying.some((newer) => selects(newer, node)),
    );
    (shares ? inConflict : applying).push(setting);
  }
  return { applying, inConflict };
}

/** Whether a pod has what the settings ask for on its node. One that was made with a setting which is in conflict now stays as it was made. */
export function hasWanted(
  { applying, inConflict }: WantedSettings,
  node: Stored<Node>,
  pod: Stored<Pod>,
): boolean {
  const setting = applying.find((each) => selects(each, node));
  const found = cpuOf(pod.spec);
  if (setting !== undefined) return found === cpuOf(setting.spec);
  const madeWith = pod.metadata.labels?.[labels.settingName];
  return (
    (madeWith === undefined && found === undefined) ||
    inConflict.some((each) => each.metadata.name === madeWith && selects(each, node))
  );
}

function selects({ spec }: Setting, { metadata }: Stored<Node>): boolean {
  return Object.entries(spec.nodeSelector.matchLabels ?? {}).every(
    ([key, value]) => metadata.labels?.[key] === value,
  );
}

interface Resourced {
  readonly containers?:
    | readonly { readonly resources?: { readonly requests?: Readonly<Record<string, string | number>> } }[]
    | undefined;
}

/** What the first container asks for. */
export function cpuOf(spec: Resourced | undefined): string | undefined {
  const cpu = spec?.containers?.[0]?.resources?.requests?.['cpu'];
  return cpu === undefined ? undefined : String(cpu);
}
