import { totalReplicas, type Subset, type UnitedDeployment } from '@atoll/api';
import { canonicalJson, type Stored } from '@atoll/kube';
import { counted } from '../../engine/problems/counted.ts';
import type { PodTemplate } from '../../children/child.ts';
import { podMeaning } from '../../children/pods/pod-meaning.ts';
import { allocate } from '../../united-deployment/allocation/allocate.ts';
import { kindFacts } from '../../united-deployment/subsets/child-kind.ts';
import { modeOf } from '../../united-deployment/scheduling/judge-subset.ts';
import { windowsOf } from '../../united-deployment/scheduling/windows.ts';
import { waitsForReplacement } from '../../united-deployment/subsets/removal.ts';
import { readTemplate, type SubsetTemplate } from '../../united-deployment/template.ts';
import { unlessFilledIn } from '../old-default-warning.ts';
import { idlePatches } from './idle-patches.ts';
import type { UnitedDeploymentFacts } from './united-deployment-facts.ts';

type Spec = UnitedDeployment['spec'];
type Children = UnitedDeploymentFacts['children'];

/** What a user may want to know before it happens; none of it is wrong. `old` is undefined for a new object. */
export function unitedDeploymentWarnings(
  object: Stored<UnitedDeployment>,
  old: Stored<UnitedDeployment> | undefined,
  template: SubsetTemplate,
  { children }: UnitedDeploymentFacts,
): readonly string[] {
  return [
    ...aboutTotal(object, template, children),
    ...aboutTemplate(object.spec, template),
    ...idlePatches(object, old, template),
    ...aboutWindows(object.spec, template),
    ...(old === undefined ? [] : aboutPods(object, old, template, children)),
  ];
}

/** A total is never refused, because a scale is not validated either; the fallback applies. */
function aboutTotal(
  object: Stored<UnitedDeployment>,
  { kind }: SubsetTemplate,
  children: Children,
): readonly string[] {
  const current = Object.fromEntries(
    children
      .filter((child) => child.kind === kind)
      // The child that serves a subset comes first and is written last.
      .reverse()
      .map(({ place, object: { spec, status } }) => [
        place,
        {
          replicas: spec?.replicas ?? 1,
          readyReplicas: status?.readyReplicas ?? 0,
          scheduledReplicas: 0,
          unschedulable: false,
          reservedPods: 0,
          marked: false,
        },
      ]),
  );
  const { effective } = allocate({
    total: totalReplicas(object),
    subsets: object.spec.topology?.subsets ?? [],
    mode: modeOf(object.spec, kind),
    current,
  });
  return effective.ok ? [] : [effective.message];
}

function aboutTemplate({ selector, template }: Spec, { kind }: SubsetTemplate): readonly string[] {
  const { member } = kindFacts[kind];
  const given = template[member]?.spec as Readonly<Record<string, unknown>> | undefined;
  const { selector: own, replicas } = given ?? {};
  const at = `spec.template.${member}.spec`;
  return [
    ...(own === undefined || own === null || canonicalJson(own) === canonicalJson(selector)
      ? []
      : [`${at}.selector is ignored: children are selected by spec.selector`]),
    // The schema refuses the others.
    ...(kind === 'CloneSet' && replicas !== undefined && replicas !== null
      ? [`${at}.replicas is ignored: the total is spec.replicas, and the subsets spread it`]
      : []),
  ];
}

/** Pods that are moved away from two subsets in turn come back to the first before a third one is asked. */
function aboutWindows(spec: Spec, { kind }: SubsetTemplate): readonly string[] {
  const { subsets = [], scheduleStrategy } = spec.topology ?? {};
  if (modeOf(spec, kind) !== 'adaptive' || subsets.length < 3) return [];
  const { criticalMs, unschedulableMs } = windowsOf(scheduleStrategy?.adaptive);
  if (unschedulableMs > criticalMs) return [];
  return [
    `spec.topology.scheduleStrategy.adaptive: unschedulableDuration (${unschedulableMs / 1000} s) is not longer than rescheduleCriticalSeconds (${criticalMs / 1000} s), so that pods without room go between the first two subsets and reach no third`,
  ];
}

function aboutPods(
  object: Stored<UnitedDeployment>,
  old: Stored<UnitedDeployment>,
  after: SubsetTemplate,
  children: Children,
): readonly string[] {
  const before = readTemplate(old.spec);
  if (!before.ok) return [];
  const subsets = object.spec.topology?.subsets ?? [];
  const wanted = new Map(subsets.map((subset) => [subset.name, subset]));
  const gone = children.filter((child) => !wanted.has(child.place) && podsOf(child) > 0);
  const staying = children.filter((child) => wanted.has(child.place) && podsOf(child) > 0);
  const replaced = staying.filter((child) => child.kind === before.template.kind);
  return [
    ...(gone.length === 0
      ? []
      : [
          `${counted(podsIn(gone), 'pod')} in ${named(gone)} ${deletedWhen(object, gone)}, because the spec no longer has ${gone.length === 1 ? 'that subset' : 'these subsets'}`,
        ]),
    ...(replaced.length === 0
      ? []
      : before.template.kind === after.kind
        ? aboutRollout(object.spec, old.spec, before.template, after, replaced, wanted)
        : [
            `the change from ${before.template.kind} to ${after.kind} replaces every pod: ${counted(podsIn(replaced), 'pod')} in ${counted(replaced.length, 'subset')} ${deletedWhen(object, replaced)}`,
          ]),
  ];
}

function deletedWhen({ metadata }: UnitedDeployment, children: Children): string {
  const [are, their] = podsIn(children) === 1 ? ['is', 'its'] : ['are', 'their'];
  const later = waitsForReplacement({ metadata });
  return later ? `${are} deleted when others have taken ${their} place` : `${are} deleted at once`;
}

function aboutRollout(
  spec: Spec,
  oldSpec: Spec,
  before: SubsetTemplate,
  after: SubsetTemplate,
  running: Children,
  wanted: ReadonlyMap<string, Subset>,
): readonly string[] {
  if (isHeld(after)) return [];
  const ofAll = meaningOf(before) !== meaningOf(after);
  const patches = new Map(
    oldSpec.topology?.subsets?.map(({ name, patch }) => [name, canonicalJson(patch ?? {})]),
  );
  const changed = running.filter(
    ({ place }) => ofAll || patches.get(place) !== canonicalJson(wanted.get(place)?.patch ?? {}),
  );
  const partitions = kindFacts[after.kind].partitioned ? spec.updateStrategy?.manualUpdate?.partitions : {};
  const moved = changed.flatMap((child) => {
    const pods = podsOf(child) - (partitions?.[child.place] ?? 0);
    return pods > 0 ? [{ child, pods }] : [];
  });
  if (moved.length === 0) return [];
  const pods = moved.reduce((sum, each) => sum + each.pods, 0);
  const where = moved.map(({ child }) => child);
  if (!ofAll) return [`this change of a patch replaces ${counted(pods, 'pod')} in ${named(where)}`];
  const all = moved.length > 1 ? ', all subsets at once' : '';
  const which = pods === podsIn(running) ? 'every pod: ' : '';
  const unless = after.kind === 'StatefulSet' ? unlessFilledIn(before, after, meaningOf) : '';
  return [
    `this change of the template replaces ${which}${counted(pods, 'pod')} in ${counted(moved.length, 'subset')}${all}${unless}`,
  ];
}

/** Somebody else decides when. */
function isHeld({ kind, spec }: SubsetTemplate): boolean {
  const { paused, updateStrategy } = spec as {
    readonly paused?: boolean;
    readonly updateStrategy?: { readonly type?: string; readonly paused?: boolean };
  };
  return kind === 'Deployment'
    ? paused === true
    : updateStrategy?.type === 'OnDelete' || updateStrategy?.paused === true;
}

function meaningOf(template: SubsetTemplate): string {
  return canonicalJson(podMeaning((template.spec['template'] ?? {}) as PodTemplate));
}

function podsOf({ object }: Children[number]): number {
  return object.status?.replicas ?? 0;
}

function podsIn(children: Children): number {
  return children.reduce((sum, child) => sum + podsOf(child), 0);
}

function named(children: Children): string {
  const names = [...new Set(children.map(({ place }) => place))].sort();
  const shown = names.slice(0, 3).join(', ') + (names.length > 3 ? ', …' : '');
  return `${names.length === 1 ? 'subset' : `${names.length} subsets:`} ${shown}`;
}
