import { extendedDaemonSetAnnotations as annotations, type ExtendedDaemonSet } from '@atoll/api';
import { jsonExcerpt, type Stored } from '@atoll/kube';
import { hold, type Hold } from '../../engine/hold.ts';
import type { HoldRule } from '../../engine/rollout/target-hold.ts';
import type { MigrationProblem } from '../migration/migration-problem.ts';

/** Why the active replica set does not go on. `frozen`, `migration`, `former`: it makes no pods either. */
export interface HeldBy {
  readonly by: 'paused' | 'frozen' | 'problem' | 'migration' | 'former';
  readonly rule: HoldRule;
}

/** Whether no pod is made either, and none is cleaned up. */
export function isFrozen(held: HeldBy | undefined): boolean {
  return held?.by === 'frozen' || isHeldForAll(held);
}

/** Whether a canary waits too. Pause and freeze are for the active replica set alone, and end no other reason. */
export function holdsCanary(held: HeldBy | undefined, problem: string | undefined): boolean {
  return problem !== undefined || isHeldForAll(held);
}

/** Pods that are not the object's are on its nodes. */
function isHeldForAll(held: HeldBy | undefined): boolean {
  return held?.by === 'migration' || held?.by === 'former';
}

/** That an object is to replace a DaemonSet, and cannot. */
export function migrationHold({ problem, waitsFor }: MigrationProblem): Hold {
  return hold('OldDaemonSetPresent', waitsFor, [], { problem }, false);
}

/** Annotations that hold the active replica set, each with the command that ends it. */
const holding = [
  ['frozen', annotations.rolloutFrozen, 'unfreeze-rollout'],
  ['paused', annotations.rollingUpdatePaused, 'unpause-rolling-update'],
] as const;

/** Values of which a person expects that they hold nothing. */
const meansNo = /^(?:|0|f|false|n|no|none|off)$/i;

/** What of {@link holding} counts for nothing, as with the old operator, although somebody seems to mean it. */
export function ignoredHolds({ metadata }: Pick<Stored<ExtendedDaemonSet>, 'metadata'>): readonly Hold[] {
  return holding.flatMap(([, name]) => {
    const value = metadata.annotations?.[name];
    if (value === undefined || value === 'true' || meansNo.test(value.trim())) return [];
    const problem = `the annotation ${name} is ${jsonExcerpt(value)} and holds nothing: write "true" to hold the rollout, or remove it`;
    return [hold('AnnotationIgnored', 'person', [], { problem }, false)];
  });
}

/** Pods that no node is to have, and that stay because the rollout is frozen: no target shows them. */
export function frozenHolds(
  object: Pick<Stored<ExtendedDaemonSet>, 'metadata'>,
  held: HeldBy | undefined,
  nodes: readonly string[],
): readonly Hold[] {
  if (held?.by !== 'frozen' || nodes.length === 0) return [];
  const problem = 'a pod is there that is to go';
  const waitingUntil = untilRemoved(object, annotations.rolloutFrozen, 'unfreeze-rollout');
  const names = [...new Set(nodes)].sort();
  return [hold('Paused', 'person', names, { problem, waitingUntil }, false)];
}

function untilRemoved(
  { metadata: { name: of, namespace = '' } }: Pick<Stored<ExtendedDaemonSet>, 'metadata'>,
  name: string,
  command: string,
): string {
  return `the annotation ${name} is removed, as by kubectl eds ${command} ${of} -n ${namespace}`;
}

/** Freeze before pause, as the old operator; what of the spec cannot be used holds as a pause does. */
export function heldBy(
  { metadata }: Stored<ExtendedDaemonSet>,
  problem: string | undefined,
  migration: MigrationProblem | undefined,
  former: Hold | undefined,
): HeldBy | undefined {
  if (migration !== undefined) {
    const { waitsFor, waitingUntil } = migration;
    return { by: 'migration', rule: () => ({ reason: 'OldDaemonSetPresent', waitsFor, waitingUntil }) };
  }
  if (former !== undefined) {
    const { reason, waitsFor } = former;
    const waitingUntil = 'no replica set of the ExtendedDaemonSet that was deleted has pods any more';
    return { by: 'former', rule: () => ({ reason, waitsFor, waitingUntil }) };
  }
  const found = metadata.annotations ?? {};
  for (const [by, name, command] of holding) {
    if (found[name] === 'true') {
      const waitingUntil = untilRemoved({ metadata }, name, command);
      return { by, rule: () => ({ reason: 'Paused', waitsFor: 'person', waitingUntil }) };
    }
  }
  if (problem === undefined) return undefined;
  const waitingUntil = 'the strategy in the spec is corrected';
  return { by: 'problem', rule: () => ({ reason: 'InvalidStrategy', waitsFor: 'person', waitingUntil }) };
}
