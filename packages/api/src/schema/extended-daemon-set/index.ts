import type { KindDefinition } from '../custom-resource-definition.ts';
import { extendedDaemonSetReplicaSetKind } from './extended-daemon-set-replica-set.ts';
import { extendedDaemonSetKind } from './extended-daemon-set.ts';
import { extendedDaemonsetSettingKind } from './extended-daemonset-setting.ts';

/** In the order in which they are installed. They come together. */
export const extendedDaemonSetKinds: readonly KindDefinition[] = [
  extendedDaemonSetKind,
  extendedDaemonSetReplicaSetKind,
  extendedDaemonsetSettingKind,
];
