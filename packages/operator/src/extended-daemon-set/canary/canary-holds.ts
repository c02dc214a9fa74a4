import {
  canaryFailurePolicies,
  extendedDaemonSetAnnotations as annotations,
  extendedDaemonSetConditions,
  type ExtendedDaemonSet,
} from '@atoll/api';
import { conditionOf, type Stored } from '@atoll/kube';
import { hold, type Hold } from '../../engine/hold.ts';
import { nameAFew } from '../../engine/status/conditions.ts';
import type { NodeTarget } from '../fleet/nodes/node-targets.ts';
import { blockedText } from './blocked-text.ts';
import { pausedByPeople } from './verdict/canary-verdict.ts';
import type { Canary } from './canary.ts';
import { failedMessage } from './end-of-canary.ts';
import { wasActive } from '../replica-sets/conditions.ts';
import { nameBegin } from '../replica-sets/render-replica-set.ts';
import type { Roles, StoppedTemplate } from '../roles.ts';

/** All that is read of the object. */
type Holder = Pick<Stored<ExtendedDaemonSet>, 'metadata' | 'status'>;

/** What a canary waits for, or why it has failed, with the cause and what a person may do. */
export function canaryHolds(roles: Roles, object: Holder): readonly Hold[] {
  const { several, stopped, lost, canary, failed } = roles;
  if (several.length > 0) return [unknownHold(roles)];
  if (stopped !== undefined) return [stoppedHold(stopped, object.status?.activeReplicaSet ?? '')];
  const ofCanary = [...holdsOf(roles, object), ...invalidSelector(roles)];
  if (lost === undefined || canary === undefined || failed !== undefined) return ofCanary;
  return [...ofCanary, lostHold(lost, canary)];
}

function holdsOf({ canary, failed, active }: Roles, object: Holder): readonly Hold[] {
  if (canary === undefined) return [];
  const { replicaSet, verdict, promotion, targets, isPauseInVain } = canary;
  const name = `canary ${replicaSet.metadata.name}`;
  if (failed !== undefined) {
    const problem = `${name} has failed: ${failed.reason}, ${failed.message}. ${afterFailure(object, active)}`;
    return [hold('CanaryFailed', 'person', [], { problem }, true)];
  }
  const inVain = validatesInVain(object, canary);
  const few = tooFewNodes(canary);
  if (verdict.is === 'paused') {
    const also = few === undefined ? inVain : [...inVain, `it has ${few}`];
    return [pausedHold(name, verdict, targets, object, also)];
  }
  if (promotion.promote) return [];
  const { waitsFor, waitingUntil, targets: waiting = [], until } = promotion;
  const causes = targets.flatMap((each) => blockedText(each) ?? awayText(each) ?? []);
  // Behind the name of the canary: what comes first is of the nodes that are named.
  const which = few === undefined ? name : `${name}, which has ${few}: ${noOtherNode}`;
  const waits = {
    ...hold('CanaryRunning', waitsFor, waiting, { waitingUntil: `${waitingUntil} (${which})` }, false),
    ...(until === undefined ? {} : { until }),
  };
  const again = hasFailedBefore(object, replicaSet) ? [failedBefore] : [];
  const shown = [...again, ...(isPauseInVain ? [pauseInVain] : []), ...inVain, ...causes.sort().slice(0, 3)];
  return [shown.length === 0 ? waits : { ...waits, problem: shown.join('; ') }];
}

function pausedHold(
  name: string,
  { by, reason, message }: Extract<Canary['verdict'], { readonly is: 'paused' }>,
  targets: Canary['targets'],
  { metadata: { namespace = '', name: of } }: Holder,
  also: readonly string[],
): Hold {
  const next = `Let it go on with: kubectl eds canary unpause ${of} -n ${namespace}, or change the template`;
  // What the old operator names where no reason was given.
  const why = reason === 'Unknown' ? message : `${reason}, ${message}`;
  const without = targets.flatMap(({ target: { id, at } }) => (at === 'nothing' ? [id] : []));
  const unmade = without.length === 0 ? [] : [`no pod is made meanwhile on ${nameAFew(without)}`];
  const problem = `${name} is paused: ${[why, ...also, ...unmade].join('; ')}. ${next}`;
  return hold('CanaryPaused', 'person', [], { problem }, !pausedByPeople.includes(by));
}

/** On how many nodes it is tried, where that is fewer than are asked for. On none it is not promoted, and why is what it waits for. */
function tooFewNodes({ chosen: { nodes, missing = 0 } }: Canary): string | undefined {
  if (missing === 0 || nodes.length === 0) return undefined;
  return `${nodes.length} of the ${nodes.length + missing} nodes that spec.strategy.canary.replicas asks for`;
}

const noOtherNode =
  'no other node fits its template and its nodeSelector, is Ready and has no taint of its absence';

/** Nothing but a correction ends it, so that it is bad, as an invalid `spec.selector` is. Behind why the canary is paused, which stays when it is corrected. */
function invalidSelector({ canary, failed }: Roles): readonly Hold[] {
  if (canary === undefined || failed !== undefined || canary.promotion.promote) return [];
  const { problem: found } = canary.chosen;
  if (found === undefined) return [];
  const problem = `${found}, so the canary keeps its nodes, and is not promoted. Correct it`;
  return [hold('InvalidSelector', 'person', [], { problem }, true)];
}

/** That the node of a pod is away; undefined: it is not. Without since when, which may be now each time. */
function awayText({ target: { id, reach } }: NodeTarget): string | undefined {
  if (reach === 'reachable') return undefined;
  return reach.taint === undefined
    ? `node ${id} is not Ready`
    : `node ${id} is Ready, and still has the taint ${reach.taint}`;
}

/**
 * That `canary-valid` names another replica set than the canary. It stays when a canary has ended, so one that a person validated before is a mistake only
 * where a person is waited for.
 */
function validatesInVain({ metadata, status }: Holder, { replicaSet, promotion }: Canary): readonly string[] {
  const canary = replicaSet.metadata.name;
  const valid = metadata.annotations?.[annotations.canaryValid] ?? '';
  if (valid === '' || valid === canary || valid === status?.activeReplicaSet) return [];
  const waitsForPerson = !promotion.promote && promotion.waitsFor === 'person';
  if (!waitsForPerson && valid.startsWith(`${nameBegin(metadata.name)}-`)) return [];
  const shown = JSON.stringify(valid.slice(0, longestName));
  return [
    `the annotation ${annotations.canaryValid} is ${shown}, which promotes nothing: to promote this canary it must be ${canary}`,
  ];
}

/** Of an object. */
const longestName = 253;

/**
 * Whether the same template has failed, and is tried again: its replica set was deleted, and has the same name. The object's condition keeps the name of the
 * one that failed last, until that is promoted.
 */
function hasFailedBefore({ status }: Holder, replicaSet: Canary['replicaSet']): boolean {
  if (wasActive(replicaSet)) return false;
  const { metadata } = replicaSet;
  const shown = status && conditionOf({ status }, extendedDaemonSetConditions.canaryFailed);
  return shown?.status === 'False' && shown.message === failedMessage(metadata.name);
}

const failedBefore =
  'the same template has failed as a canary before, and somebody wrote it again. ' +
  `Where GitOps does that after each failure, annotate the object with ${annotations.onCanaryFailure}=${canaryFailurePolicies.hold}`;

/** What becomes of the template of a canary that has failed, and what a person may do. */
function afterFailure({ metadata }: Holder, active: Roles['active']): string {
  if (active === undefined) return 'The template of the active replica set is lost: correct spec.template';
  const { name } = active.metadata;
  if (metadata.annotations?.[annotations.onCanaryFailure] !== canaryFailurePolicies.hold)
    return `The template of ${name} goes back into the spec: correct yours, and apply it again`;
  const held = `${annotations.onCanaryFailure}=${canaryFailurePolicies.hold}`;
  return `The spec keeps its template (${held}), and all nodes are to run ${name}: correct spec.template, or put that of ${name} back`;
}

/** Why no pod is made or deleted on other nodes than those of the canary. */
function lostHold(
  { name: lost, followedAt }: NonNullable<Roles['lost']>,
  { replicaSet, promotion }: Canary,
): Hold {
  const canary = `canary ${replicaSet.metadata.name}`;
  const active = lost === '' ? 'the active replica set' : `the active replica set ${lost}`;
  if (followedAt !== undefined) {
    const waitingUntil = `${canary} takes the place of ${active}, which is gone`;
    return { ...hold('ActiveReplicaSetGone', 'time', [], { waitingUntil }, false), until: followedAt };
  }
  const problem =
    `${active} is gone, and its template with it. The template in the spec is tried again as ${canary}. Until it is promoted, no pod is made or ` +
    `deleted on other nodes. To go back, put the former template into the spec`;
  const waitsFor = promotion.promote ? 'time' : promotion.waitsFor;
  return hold('ActiveReplicaSetGone', waitsFor, [], { problem }, true);
}

/** The order in which two people wrote them is not known, and the old operator lets the canary go on. */
const pauseInVain =
  `it is not paused: the annotation ${annotations.canaryPaused} has no effect beside ${annotations.canaryUnpaused}. ` +
  `To pause it, set that one to "false"`;

/** Why no replica set has the fleet, so that no pod is made or deleted. `recorded`: the name in the status. */
function stoppedHold(stopped: StoppedTemplate, recorded: string): Hold {
  const { name } = stopped.replicaSet.metadata;
  const how = stopped.is === 'failed' ? 'has failed' : 'is paused';
  const active =
    recorded === '' ? 'there is no active replica set' : `the active replica set ${recorded} is gone`;
  const problem =
    `${active}, and canary ${name}, with the template in the spec, ${how}. So no pod is made or deleted. ` +
    `Change the template, or run it on all nodes: ${howToValidate(stopped)}`;
  return hold(stopped.is === 'failed' ? 'CanaryFailed' : 'CanaryPaused', 'person', [], { problem }, true);
}

function unknownHold({ several, stopped: inSpec, toPutBack }: Roles): Hold {
  const formers = toPutBack.map(({ metadata }) => metadata.name).join(' or ');
  const ways = [
    'Write the name of the right one into the status',
    ...(formers === '' ? [] : [`Or, where that is ${formers}, put its template back into the spec`]),
    // Without it the template in the spec has no replica set yet.
    ...(inSpec === undefined
      ? []
      : [`Or run the template in the spec on all nodes: ${howToValidate(inSpec)}`]),
  ];
  const names = nameAFew(several.map(({ metadata }) => metadata.name));
  const problem =
    `status.activeReplicaSet is empty, and each of ${names} may be the active one. No pod is made or deleted until you decide. ` +
    ways.join('. ');
  return hold('ActiveReplicaSetUnknown', 'person', [], { problem }, true);
}

function howToValidate({ replicaSet: { metadata } }: StoppedTemplate): string {
  return `set the annotation ${annotations.canaryValid}=${metadata.name}`;
}
