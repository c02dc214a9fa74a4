import type { KubeObject, Resource } from '@atoll/kube';
import type { z } from 'zod';
import type {
  extendedDaemonsetSettingSpec,
  extendedDaemonsetSettingStatus,
} from '../schema/extended-daemon-set/extended-daemonset-setting.ts';
import type { Frozen } from '../schema/frozen.ts';
import { datadogGroup } from './names.ts';

export type ExtendedDaemonsetSettingSpec = Frozen<z.input<typeof extendedDaemonsetSettingSpec>>;
export type ExtendedDaemonsetSettingStatus = Frozen<z.input<typeof extendedDaemonsetSettingStatus>>;

/** Resources of the containers of an ExtendedDaemonSet on some nodes. The kind has a small `s` in `Daemonset`. */
export interface ExtendedDaemonsetSetting extends KubeObject {
  readonly spec: ExtendedDaemonsetSettingSpec;
  readonly status?: ExtendedDaemonsetSettingStatus;
}

export const extendedDaemonsetSettings: Resource<ExtendedDaemonsetSetting> = {
  group: datadogGroup,
  version: 'v1alpha1',
  kind: 'ExtendedDaemonsetSetting',
  plural: 'extendeddaemonsetsettings',
  namespaced: true,
};
