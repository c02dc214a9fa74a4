import { extendedDaemonSetLabels as labels, extendedDaemonsetSettings, extendedDaemonSets } from '@atoll/api';
import { conditionOf, pods, type KubeObject, type Pod, type Resource } from '@atoll/kube';
import type { Store } from '../../model/store.ts';
import { slotOf } from '../../model/store.ts';
import { objectsOf } from '../../world.ts';
import type { Effect, World } from '../../world.ts';
import { losing, type WithLostBug } from '../lost-with-definition-world.ts';
import { podsIn, settingNamesIn } from './extended-daemon-set-objects.ts';
import { extendedDaemonSetWorld, type ExtendedDaemonSetWorldOptions } from './extended-daemon-set-world.ts';

/**
 * An ExtendedDaemonSet whose pods were made with a setting. Somebody deletes the definition of settings, with which all of them go, installs it again, and makes
 * the settings again. Nobody deletes a setting.
 */
export function lostSettingsWorld(options: ExtendedDaemonSetWorldOptions & WithLostBug): World {
  const base = extendedDaemonSetWorld({ overridden: '1', ...options });
  const lost = {
    kind: extendedDaemonsetSettings as Resource<KubeObject>,
    again: 'give back',
    seenAs: 'definitionOfSettings',
    wrongEffect: podEnded,
    missing: (store: Store) => (hasPodOfLost(store) ? notHeld(store) : base.missing(store)),
  } as const;
  return losing(base, lost, options);
}

/** E: nobody has deleted a setting. */
function podEnded({ before, request, cached }: Effect): string | undefined {
  if (request.verb !== 'delete' || request.resource.plural !== pods.plural) return undefined;
  const pod = before.objects.get(slotOf(pods, request.key))?.object as Pod | undefined;
  const name = pod?.metadata.labels?.[labels.settingName];
  if (name === undefined) return undefined;
  const isKnown = cached.known.has(slotOf(extendedDaemonsetSettings, { namespace: 'edge', name }));
  return isKnown
    ? undefined
    : `pod ${request.key.name} is deleted, whose setting went with the definition of all settings`;
}

/** One that was made while none was there is as it should be. */
function hasPodOfLost(store: Store): boolean {
  const there = settingNamesIn(store);
  const names = podsIn(store).flatMap(({ metadata }) => metadata.labels?.[labels.settingName] ?? []);
  return names.some((name) => !there.includes(name));
}

/** L: it is said why pods of settings that are absent are there. */
function notHeld(store: Store): string | undefined {
  const [object] = objectsOf(store, extendedDaemonSets);
  const ready = object === undefined ? undefined : conditionOf(object, 'Ready');
  return ready?.status === 'False' && ready.reason === 'SettingUnreadable'
    ? undefined
    : `Ready is ${ready?.status} ${ready?.reason}, not False SettingUnreadable`;
}
