import type { PoolWorkload } from '@atoll/api';
import { canonicalJson, labelValueProblems } from '@atoll/kube';
import { counted } from '../../engine/problems/counted.ts';
import type { PodTemplate } from '../../children/child.ts';
import { podMeaning } from '../../children/pods/pod-meaning.ts';
import { readTemplate, templateMembers, type PoolTemplate } from '../../pool-workload/template.ts';
import { unlessFilledIn } from '../old-default-warning.ts';
import type { WorkloadFacts } from './workload-facts.ts';

type Spec = PoolWorkload['spec'];

/** What a user may want to know before it happens; none of it is wrong. `old` is undefined for a new workload. */
export function workloadWarnings(spec: Spec, old: Spec | undefined, facts: WorkloadFacts): readonly string[] {
  return [
    ...aboutPools(facts),
    ...aboutTemplateSelector(spec),
    ...(old === undefined ? [] : [...aboutRestarts(spec, old, facts), ...aboutDepartures(facts)]),
  ];
}

function aboutPools({ pools }: WorkloadFacts): readonly string[] {
  if (pools.length === 0) {
    return ['spec.nodepoolSelector matches no NodePool: nothing runs until a pool carries these labels'];
  }
  return pools.flatMap(({ name }) =>
    labelValueProblems(name).map(
      (problem) => `NodePool ${name} gets nothing: its name is used as a label value and ${problem}`,
    ),
  );
}

function aboutTemplateSelector({ selector, workloadTemplate }: Spec): readonly string[] {
  return Object.values(templateMembers).flatMap((member) => {
    const given = (workloadTemplate[member]?.spec as { readonly selector?: unknown } | undefined)?.selector;
    if (given === undefined || given === null || canonicalJson(given) === canonicalJson(selector)) return [];
    return [
      `spec.workloadTemplate.${member}.spec.selector is ignored: children are selected by spec.selector`,
    ];
  });
}

function aboutRestarts(spec: Spec, old: Spec, { pools, children }: WorkloadFacts): readonly string[] {
  const [before, after] = [readTemplate(old), readTemplate(spec)];
  if (!before.ok || !after.ok || !replacesPods(before.template, after.template)) return [];
  const selected = new Set(pools.map((pool) => pool.name));
  const running = children.filter(
    ({ place, object }) => selected.has(place) && (object.status?.replicas ?? 0) > 0,
  );
  const pods = running.reduce((sum, { object }) => sum + (object.status?.replicas ?? 0), 0);
  if (pods === 0) return [];
  const where = new Set(running.map(({ place }) => place)).size;
  const what =
    before.template.kind === after.template.kind
      ? 'this change of the template'
      : `the change from ${before.template.kind} to ${after.template.kind}`;
  const unless = unlessFilledIn(before.template, after.template, meaningOf);
  return [
    `${what} replaces every pod: ${counted(pods, 'pod')} in ${counted(where, 'pool')}, all pools at once${unless}`,
  ];
}

/** Pods are replaced where their template has another meaning, unless somebody is to decide when. */
function replacesPods(before: PoolTemplate, after: PoolTemplate): boolean {
  if (before.kind !== after.kind) return true;
  const { paused, updateStrategy } = after.spec as {
    readonly paused?: boolean;
    readonly updateStrategy?: { readonly type?: string };
  };
  if (after.kind === 'Deployment' ? paused === true : updateStrategy?.type === 'OnDelete') return false;
  return meaningOf(before) !== meaningOf(after);
}

function meaningOf(template: PoolTemplate): string {
  return canonicalJson(podMeaning((template.spec['template'] ?? {}) as PodTemplate));
}

function aboutDepartures({ pools, children }: WorkloadFacts): readonly string[] {
  const selected = new Set(pools.map((pool) => pool.name));
  const left = [...new Set(children.map(({ place }) => place).filter((pool) => !selected.has(pool)))].sort();
  if (left.length === 0) return [];
  const named = left.slice(0, 3).join(', ') + (left.length > 3 ? ', …' : '');
  const they = left.length === 1 ? 'it is' : 'they are';
  return [`what runs in ${counted(left.length, 'pool')} is deleted, because ${they} not selected: ${named}`];
}
