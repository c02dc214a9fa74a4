import {
  extendedDaemonSetAnnotations as annotations,
  extendedDaemonSetStates as states,
  type ExtendedDaemonSet,
  type ValidationMode,
} from '@atoll/api';
import { scaleIntOrPercent, type Stored } from '@atoll/kube';
import { readStrategy } from '../../extended-daemon-set/read-strategy.ts';
import { selectorMeaning } from '../../extended-daemon-set/replica-sets/selector-meaning.ts';
import { sameTemplate } from '../../extended-daemon-set/replica-sets/template-meaning.ts';

/**
 * What a change does to pods that run, where no canary tries it first, or why it does nothing. `status` undefined: it is not cached. `mode` is that of canaries that name
 * none.
 */
export function changeWarnings(
  object: Stored<ExtendedDaemonSet>,
  old: Stored<ExtendedDaemonSet>,
  status: ExtendedDaemonSet['status'],
  mode: ValidationMode,
): readonly string[] {
  if (status === undefined || status.current === 0) return [];
  return [...selectorWarnings(object, old), ...templateWarnings(object, old, status, mode)];
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

function isStill({ metadata }: Stored<ExtendedDaemonSet>): boolean {
  return [annotations.rollingUpdatePaused, annotations.rolloutFrozen].some(
    (name) => metadata.annotations?.[name] === 'true',
  );
}
