import {
  canaryReasons,
  extendedDaemonSetAnnotations as annotations,
  extendedDaemonSetReplicaSets,
  extendedDaemonSets,
  extendedDaemonsetSettings,
  replicaSetConditions,
  replicaSetStates,
  type ExtendedDaemonSet,
  type ExtendedDaemonSetReplicaSet,
  type ExtendedDaemonsetSetting,
} from '@atoll/api';
import { isReady, nodes, type Node } from '@atoll/kube';
import { sameJson } from '../../../src/engine/same-meaning.ts';
import { creates, deletes, edits, statusFollows } from '../../neighbours/people.ts';
import type { Neighbour } from '../../world.ts';
import {
  editsAnnotation,
  hasAnnotation,
  nodeReadiness,
  selects,
  settingOf,
  templateOf,
  untaints,
} from './extended-daemon-set-objects.ts';

/**
 * People who change the template and steer the rollout, and nodes that go away, come back, or go for good. `staysAway`: one that is away comes
 * back when somebody sees to it, by the budget `back`.
 */
export function peopleOf(
  images: readonly string[],
  settings: readonly ExtendedDaemonsetSetting[],
  staysAway: boolean,
): readonly Neighbour[] {
  const back = statusFollows('node comes back', nodes, comesBack);
  return [
    edits('edit', extendedDaemonSets, (object) => nextImage(object, images)),
    edits('pause', extendedDaemonSets, pause),
    edits('unpause', extendedDaemonSets, unpause),
    edits('validate', extendedDaemonSets, validate),
    { ...statusFollows('fail', extendedDaemonSetReplicaSets, fail), spends: 'fail' },
    edits('freeze', extendedDaemonSets, freeze),
    edits('unfreeze', extendedDaemonSets, unfreeze),
    creates('override', extendedDaemonsetSettings, [settingOf('1')]),
    edits('override', extendedDaemonsetSettings, override),
    deletes('override', extendedDaemonsetSettings),
    deletes('take back', extendedDaemonsetSettings),
    creates('give back', extendedDaemonsetSettings, settings),
    { ...statusFollows('away', nodes, goesAway), spends: 'away' },
    staysAway ? { ...back, spends: 'back' } : back,
    deletes('remove', nodes),
    edits('select', nodes, selects),
    edits('untaint', nodes, untaints),
  ];
}

function nextImage({ metadata }: ExtendedDaemonSet, images: readonly string[]) {
  const edited = Number(metadata.annotations?.[editsAnnotation]);
  const image = images[edited];
  if (image === undefined) return [];
  const patch = {
    metadata: { annotations: { [editsAnnotation]: String(edited + 1) } },
    spec: { template: templateOf(image) },
  };
  return [{ label: `sets image ${image}`, patch }];
}

function pause(object: ExtendedDaemonSet) {
  const isCanary = (object.status?.canary ?? undefined) !== undefined;
  if (!isCanary || hasAnnotation(object, 'canaryPaused')) return [];
  const patch = { metadata: { annotations: { [annotations.canaryPaused]: 'true' } } };
  return [{ label: 'pauses the canary', patch }];
}

function unpause(object: ExtendedDaemonSet) {
  const isPaused = hasAnnotation(object, 'canaryPaused') || object.status?.state === 'Canary Paused';
  if (!isPaused || hasAnnotation(object, 'canaryUnpaused')) return [];
  const written = { [annotations.canaryPaused]: null, [annotations.canaryUnpaused]: 'true' };
  return [{ label: 'lets the canary go on', patch: { metadata: { annotations: written } } }];
}

function validate(object: ExtendedDaemonSet) {
  const canary = object.status?.canary?.replicaSet;
  if (canary === undefined || object.metadata.annotations?.[annotations.canaryValid] === canary) return [];
  const patch = { metadata: { annotations: { [annotations.canaryValid]: canary } } };
  return [{ label: `validates canary ${canary}`, patch }];
}

/** As `kubectl eds canary fail` does: with one write, of the replica set alone. */
function fail({ metadata: { name }, status }: ExtendedDaemonSetReplicaSet) {
  const type = replicaSetConditions.canaryFailed;
  const others = (status?.conditions ?? []).filter((each) => each.type !== type);
  if (status?.status !== replicaSetStates.canary) return undefined;
  const failed = { type, status: 'True', reason: canaryReasons.manuallyFailed };
  return { label: `fails canary ${name}`, status: { conditions: [...others, failed] } };
}

function freeze(object: ExtendedDaemonSet) {
  if (hasAnnotation(object, 'rolloutFrozen')) return [];
  const patch = { metadata: { annotations: { [annotations.rolloutFrozen]: 'true' } } };
  return [{ label: 'freezes the rollout', patch }];
}

function unfreeze(object: ExtendedDaemonSet) {
  if (!hasAnnotation(object, 'rolloutFrozen')) return [];
  const patch = { metadata: { annotations: { [annotations.rolloutFrozen]: null } } };
  return [{ label: 'lets the rollout go on', patch }];
}

function override({ spec }: ExtendedDaemonsetSetting) {
  const cpu = settingOf('2').spec;
  return sameJson(spec, cpu) ? [] : [{ label: 'sets 2 processors', patch: { spec: cpu } }];
}

function goesAway(node: Node) {
  return isReady(node)
    ? { label: `${node.metadata.name} goes away`, ...nodeReadiness('Unknown') }
    : undefined;
}

function comesBack(node: Node) {
  return isReady(node) ? undefined : { label: `${node.metadata.name} is back`, ...nodeReadiness('True') };
}
