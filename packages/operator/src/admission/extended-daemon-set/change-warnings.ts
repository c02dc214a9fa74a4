import {
  extendedDaemonSetAnnotations as annotations,
  extendedDaemonSetStates as states,
  type ExtendedDaemonSet,
  type ValidationMode,
} from '@atoll/api';
import { scaleIntOrPercent, type Node, type Stored } from '@atoll/kube';
import { nameAFew } from '../../engine/status/conditions.ts';
import { nodeSelectorOf } from '../../extended-daemon-set/fleet/fleet-view.ts';
import { nodeEligibility } from '../../extended-daemon-set/fleet/nodes/node-eligibility.ts';
import { readStrategy } from '../../extended-daemon-set/read-strategy.ts';
import { selectorMeaning } from '../../extended-daemon-set/replica-sets/selector-meaning.ts';
import { sameTemplate } from '../../extended-daemon-set/replica-sets/template-meaning.ts';

/** What is known beside the object and the one that it replaces. */
export interface ChangeFacts {
  /** Undefined: it is not cached. */
  readonly status: ExtendedDaemonSet['status'];
  readonly nodes: () => readonly Stored<Node>[];
  /** That of canaries that name none. */
  readonly mode: ValidationMode;
}

/** What a change does to pods that run, where no canary tries it first, or why it does nothing. */
export function changeWarnings(
  object: Stored<ExtendedDaemonSet>,
  old: Stored<ExtendedDaemonSet>,
  { status, nodes, mode }: ChangeFacts,
): readonly string[] {
  if (status === undefined || status.current === 0) return [];
  return [
    ...selectorWarnings(object, old),
    ...templateWarnings(object, old, status, mode),
    ...lostNodeWarnings(object, old, nodes),
  ];
}

/** What is held as `SelectorNotApplied` afterwards. */
function selectorWarnings(
  { spec }: Stored<ExtendedDaemonSet>,
  { spec: old }: Stored<ExtendedDaemonSet>,
): readonly string[] {
  const isSame = selectorMeaning(spec.selector) === selectorMeaning(old.selector);
  if (isSame || !sameTemplate(spec.template, old.template)) return [];
  return [
    'spec.selector has no effect until spec.template changes too: pods stay on the nodes where they are',
  ];
}

function templateWarnings(
  object: Stored<ExtendedDaemonSet>,
  old: Stored<ExtendedDaemonSet>,
  status: NonNullable<ExtendedDaemonSet['status']>,
  mode: ValidationMode,
): readonly string[] {
  if (object.spec.strategy.canary !== undefined || isStill(object)) return [];
  const { maxUnavailable } = readStrategy(object, mode).strategy;
  const atOnce = scaleIntOrPercent(maxUnavailable, status.desired, 'up');
  const pace = `${status.current} pods, up to ${atOnce} at once`;
  if (!sameTemplate(old.spec.template, object.spec.template)) {
    const ended = old.spec.strategy.canary === undefined ? '' : ', without a canary';
    return [`this change of the template replaces every pod${ended}: ${pace}`];
  }
  const isTried = (status.canary ?? undefined) !== undefined || status.state === states.canaryFailed;
  if (old.spec.strategy.canary === undefined || !isTried) return [];
  const found = status.state === states.canaryFailed ? 'whose canary failed' : 'that the canary tries';
  return [`without spec.strategy.canary the template ${found} goes to all nodes: ${pace}`];
}

/** Pods on nodes that the new template does not fit are deleted as soon as it is in use, outside of the budget, as those of a native DaemonSet are. */
function lostNodeWarnings(
  object: Stored<ExtendedDaemonSet>,
  old: Stored<ExtendedDaemonSet>,
  nodes: ChangeFacts['nodes'],
): readonly string[] {
  const isTriedFirst = object.spec.strategy.canary !== undefined;
  if (isTriedFirst || isSet(object, annotations.rolloutFrozen)) return [];
  if (sameTemplate(old.spec.template, object.spec.template)) return [];
  const before = nodeEligibility(old.spec.template, nodeSelectorOf(old));
  const after = nodeEligibility(object.spec.template, nodeSelectorOf(object));
  const had = nodes().filter((node) => before(node) !== 'unfit');
  const lost = had.filter((node) => after(node) === 'unfit').map(({ metadata }) => metadata.name);
  if (lost.length === 0) return [];
  const of = `${lost.length} of ${had.length} nodes`;
  return [
    `this change deletes the pods of ${of} at once, which the new template does not fit: ${nameAFew(lost)}`,
  ];
}

function isStill(object: Stored<ExtendedDaemonSet>): boolean {
  return isSet(object, annotations.rollingUpdatePaused) || isSet(object, annotations.rolloutFrozen);
}

function isSet({ metadata }: Stored<ExtendedDaemonSet>, annotation: string): boolean {
  return metadata.annotations?.[annotation] === 'true';
}
