import { yurtManagers } from '@atoll/api';
import { formatKey, type Deployment, type Reader, type Stored } from '@atoll/kube';
import { isScaledUp } from './status-writers.ts';

/** A controller of OpenYurt that does what one of ours does. */
export interface YurtController {
  /** The Deployments that may run it; also their field managers. */
  readonly managers: readonly string[];
  /** What the flag `--controllers` calls it: the name since v1.4, and the alias, which was its name before. */
  readonly names: readonly string[];
  /** What `CUSTOM_RESOURCE_ENABLE` of yurt-app-manager calls it. */
  readonly kind?: string;
}

export const yurtDaemonSets: YurtController = {
  managers: [yurtManagers.manager, yurtManagers.controllerManager],
  names: ['daemon-pod-updater-controller', 'daemonpodupdater'],
};

export const yurtAppDaemonsOfYurt: YurtController = {
  managers: [yurtManagers.manager, yurtManagers.appManager],
  names: ['yurt-app-daemon-controller', 'yurtappdaemon'],
  kind: 'YurtAppDaemon',
};

/** A Deployment that may run the controller. */
export interface YurtManager {
  readonly name: string;
  /** `Deployment kube-system/yurt-manager` */
  readonly what: string;
  /** The controller is at work. Whether it is healthy this minute is no matter: it will be. */
  readonly runs: boolean;
}

export function yurtManagersOf(
  controller: YurtController,
  deployments: Reader<Deployment>,
): readonly YurtManager[] {
  return controller.managers.flatMap((name) =>
    deployments.by('manager', name).map((deployment) => ({
      name,
      what: `Deployment ${formatKey(deployment.metadata)}`,
      runs: runs(controller, deployment),
    })),
  );
}

export function isManagerOf(
  { managers }: YurtController,
  { metadata }: Pick<Deployment, 'metadata'>,
): boolean {
  return managers.includes(metadata.name);
}

function runs(controller: YurtController, deployment: Stored<Deployment>): boolean {
  const containers = deployment.spec?.template.spec?.containers ?? [];
  return (
    isScaledUp(deployment) &&
    !containers.some(
      ({ args = [], command = [], env = [] }) =>
        isSwitchedOff(controller, [...command, ...args].join(' ')) || isNotEnabled(controller, env),
    )
  );
}

/**
 * Its flag `--controllers` takes names, those with a dash in front to switch off. Where it has neither the name nor `*`, the controller is off too. What
 * is put in from elsewhere (`$(CONTROLLERS)`) is not known.
 */
function isSwitchedOff({ names }: YurtController, commandLine: string): boolean {
  const asked = [...commandLine.matchAll(/--controllers[= ]["']?([^\s"']+)/g)].flatMap(([, found = '']) =>
    found.split(','),
  );
  if (asked.some((name) => names.includes(name.replace(/^-/, '')))) {
    return !asked.some((name) => names.includes(name));
  }
  return asked.length > 0 && !asked.some((name) => name === '*' || name.includes('$'));
}

interface Variable {
  readonly name: string;
  readonly value?: string;
}

/** yurt-app-manager starts the controllers of the kinds in this variable alone, and of all where it is empty. */
function isNotEnabled({ kind }: YurtController, env: readonly Variable[]): boolean {
  const enabled = env.find(({ name }) => name === 'CUSTOM_RESOURCE_ENABLE')?.value ?? '';
  if (kind === undefined || enabled === '' || enabled.includes('$')) return false;
  return !enabled.split(',').includes(kind);
}
