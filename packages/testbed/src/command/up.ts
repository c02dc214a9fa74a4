import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { obtainBinaries } from '../binaries/obtain-binaries.ts';
import { poolLabel, zoneLabel, type ClusterShape, type Taint } from '../fleet/node-spec.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import type { ControlPlaneOptions } from '../control-plane/options.ts';
import { startControlPlane } from '../control-plane/start-control-plane.ts';
import { identifyProcess } from '../supervisor/process-identity.ts';
import { CommandFailure, exitCodes } from './command-failure.ts';
import type { Output } from './output.ts';
import {
  claimDirectory,
  registerControlPlane,
  type RegisteredControlPlane,
} from './registered-control-plane.ts';

export interface UpOptions {
  readonly name: string;
  readonly nodes?: number;
  readonly pools?: number | readonly string[];
  readonly zones?: number | readonly string[];
  readonly taint?: readonly Taint[];
  readonly cpu: string;
  readonly memory: string;
  readonly pods: string;
  readonly failureDomains?: 'pool' | 'zone';
  readonly nodeLease?: number;
  readonly audit?: boolean;
  readonly kubeconfig?: string;
  readonly lease?: number;
}

const nodesPerPool = 3;

/** Holds a control plane until `signal` or the lease ends it. `ready` is called when it takes work. */
export async function up(
  options: UpOptions,
  output: Output,
  signal: AbortSignal,
  ready: (controlPlane: RegisteredControlPlane) => void,
): Promise<void> {
  const onProgress = (message: string): void => output.progress(message);
  const onUnexpectedExit = (message: string): void => output.note(message);
  // What is wrong with the command line is said at once, and leaves nothing.
  const planned = controlPlaneOptions(options);
  try {
    // First, because it may take minutes, in which the name is not yet taken.
    const binaries = await obtainBinaries({ onProgress, signal });
    const directory = claimDirectory(options.name);
    await using controlPlane = await startIn(directory, {
      ...planned,
      binaries,
      onProgress,
      onUnexpectedExit,
      signal,
    });
    await controlPlane.nodesReady();
    const registered = describe(options, controlPlane);
    registerControlPlane(directory, registered);
    ready(registered);
    if ((await lifetime(options.lease, signal, controlPlane)) === 'lost')
      throw new CommandFailure('the control plane was ended from outside');
    output.note('ending the control plane');
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new CommandFailure('interrupted before it was up; nothing is left running', exitCodes.interrupted);
  }
}

async function startIn(directory: string, options: ControlPlaneOptions): Promise<ControlPlane> {
  try {
    return await startControlPlane({ ...options, directory });
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  }
}

function controlPlaneOptions(options: UpOptions): ControlPlaneOptions {
  const fleet = fleetOf(options);
  return {
    fleet,
    ...(options.failureDomains === undefined
      ? {}
      : { kwokDomains: domainsOf(options.failureDomains, fleet) }),
    ...(options.nodeLease === undefined ? {} : { nodeLeaseSeconds: options.nodeLease }),
    ...(options.kubeconfig === undefined ? {} : { kubeconfigFile: options.kubeconfig }),
    audit: options.audit === true,
  };
}

function fleetOf({ pools, nodes, zones, taint = [], cpu, memory, pods }: UpOptions): ClusterShape {
  const poolNames = namesOf('pool', pools ?? 0);
  return {
    pools: poolNames,
    nodes: nodes ?? nodesPerPool * Math.max(1, poolNames.length),
    zones: namesOf('zone', zones ?? 1),
    taints: taint,
    size: { cpu, memory, pods },
  };
}

function domainsOf(by: 'pool' | 'zone', fleet: ClusterShape): Record<string, string> {
  const names = (by === 'pool' ? fleet.pools : fleet.zones) as readonly string[];
  if (names.length === 0) {
    throw new CommandFailure(`--failure-domains ${by} needs --${by}s`, exitCodes.usage);
  }
  const key = by === 'pool' ? poolLabel : zoneLabel;
  return Object.fromEntries(names.map((name) => [name, `${key}=${name}`]));
}

function namesOf(kind: string, given: number | readonly string[]): readonly string[] {
  if (typeof given !== 'number') return given;
  return Array.from({ length: given }, (_, index) => `${kind}-${index + 1}`);
}

function describe(options: UpOptions, controlPlane: ControlPlane): RegisteredControlPlane {
  const now = Date.now();
  return {
    name: options.name,
    url: controlPlane.url,
    kubeconfig: options.kubeconfig === undefined ? controlPlane.kubeconfig : resolve(options.kubeconfig),
    owner: identifyProcess(process.pid) ?? { pid: process.pid, started: '' },
    programs: controlPlane.components.map(({ name }) => name),
    since: new Date(now).toISOString(),
    ...(options.lease === undefined ? {} : { until: new Date(now + options.lease * 1000).toISOString() }),
  };
}

/** `lost`: the control plane ended, and neither the lease nor the signal was why. */
async function lifetime(
  leaseSeconds: number | undefined,
  signal: AbortSignal,
  controlPlane: ControlPlane,
): Promise<'over' | 'lost'> {
  const { promise, resolve: end } = Promise.withResolvers<'over' | 'lost'>();
  const timer = leaseSeconds === undefined ? undefined : setTimeout(end, leaseSeconds * 1000, 'over');
  if (signal.aborted) end('over');
  signal.addEventListener('abort', () => end('over'), { once: true });
  void controlPlane.ended.then(() => end('lost'));
  const why = await promise;
  clearTimeout(timer);
  return why;
}
