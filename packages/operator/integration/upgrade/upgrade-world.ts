import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { extendedDaemonsetSettings } from '@atoll/api';
import { createClient, isReady, loadKubeconfig, namespaces, pods, type StreamingClient } from '@atoll/kube';
import {
  AuditLog,
  cacheRoot,
  kubernetesMinorOf,
  startControlPlane,
  startFaultProxy,
  type ControlPlane,
  type ControlPlaneOptions,
  type FaultProxy,
} from '@atoll/testbed';
import { buildRelease } from '../../../../scripts/release/build-release.ts';
import type { Release } from '../../../../scripts/release/previous-release.ts';
import { root } from '../../../../scripts/checks.ts';
import { daemonNodeLabel, daemonSetSubject, extendedDaemonSetSubject } from '../../chaos/subjects/daemons.ts';
import { poolWorkloadKinds, poolWorkloads } from '../../chaos/subjects/pool-workloads.ts';
import { namespace, type Subject } from '../../chaos/subjects/subject.ts';
import { unitedDeploymentSubject } from '../../chaos/subjects/united-deployments.ts';
import { install } from '../../src/install/index.ts';
import { runDocumented } from '../set-up/documented-commands.ts';
import {
  operatorAccount,
  operatorScript,
  operatorUser,
  withoutElection,
} from '../set-up/operator-control-plane.ts';
import { apply } from '../set-up/objects.ts';
import { eventually } from '../set-up/standing.ts';

const zones = ['zone-a', 'zone-b', 'zone-c'];
const pools = ['hangzhou', 'beijing', 'shanghai'];
const patienceMs = 240_000;
/** Of each kind two: the first stays as it is, the second is changed. */
const objects = 2;
const controllers = '--controllers=*,daemon-set-upgrade,extended-daemon-set,image-pre-pull';

/** Of the release's own `examples`. Its pools come first. */
const samples = [
  'nodepools.yaml',
  'united-daemon-set.yaml',
  'yurt-app-daemon.yaml',
  'united-deployment-zones.yaml',
  'daemon-set-ota.yaml',
  'extended-daemon-set-canary.yaml',
];

/** What the README of a release says to apply. */
const manifests = '-f deploy/crds -f deploy/policies.yaml -f deploy/rbac.yaml -f deploy/webhooks.yaml';

/** What {@link UpgradeWorld.beginRollouts} changes. */
export const changed = ['uniteddaemonset-2', 'yurtappdaemon-2', 'ud-2', 'ds-2', 'eds-2'];

/** Whether a line that ends with an object's name is of one that is changed, or of what belongs to it. */
export function isOfChanged(line: string): boolean {
  const name = line.slice(line.lastIndexOf(' ') + 1);
  return changed.some((each) => name === each || name.startsWith(`${each}-`));
}

/** A cluster in which Atoll is installed, with objects of all kinds. */
export interface UpgradeWorld extends AsyncDisposable {
  readonly controlPlane: ControlPlane;
  readonly client: StreamingClient;
  /** Begins a rollout of the second object of each kind, and kills the operator in the middle of it. Yields what is open then. */
  beginRollouts(): Promise<readonly string[]>;
  /** Installs these sources over it, and starts their operator. */
  upgrade(): Promise<void>;
  /** Starts the operator of the first version in place of the one that runs. */
  goBack(): Promise<void>;
  /** Everything is as wanted, and the operator has written nothing for a while. */
  settled(): Promise<void>;
  /** What the operator has written since then, but for events and reviews: `patch deployments.apps web`. */
  writesSince(since: number): Promise<readonly string[]>;
  /** The uids of pods of the templates that {@link beginRollouts} brought. */
  podsOfNewTemplates(): Promise<readonly string[]>;
}

/** Where the release is, built. */
export async function folderOf(release: Release): Promise<string> {
  return buildRelease(release, root, join(cacheRoot(process.env), 'releases'));
}

/** Whether the chart of a release takes the Kubernetes that runs here. */
export function runsHere(folder: string): boolean {
  const chart = readFileSync(join(folder, 'deploy', 'helm', 'atoll', 'Chart.yaml'), 'utf8');
  const needed = /^kubeVersion: '>=1\.(\d+)\./m.exec(chart)?.[1];
  return kubernetesMinorOf(process.env) >= Number(needed);
}

/** A release runs and all that was applied is as wanted when this resolves. */
export async function startRelease(folder: string): Promise<UpgradeWorld> {
  return startWorld({
    folder,
    operator: join(folder, 'dist', 'atoll-operator.mjs'),
    async install(_, run) {
      await run(`kubectl apply --server-side ${manifests}`);
      await run('kubectl wait crd --all --for=condition=Established --timeout=1m');
    },
  });
}

/** The same with these sources, on a control plane of these programs. */
export async function startSources(
  options: Pick<ControlPlaneOptions, 'binaries' | 'apiServerFlags'>,
): Promise<UpgradeWorld> {
  const first: FirstVersion = {
    folder: root,
    operator: operatorScript,
    install: async (client) => install(client),
  };
  return startWorld(first, options);
}

/** What is installed at first. */
interface FirstVersion {
  /** Holds its samples. */
  readonly folder: string;
  readonly operator: string;
  /** `run`: a documented command in that folder. */
  install(client: StreamingClient, run: (command: string) => Promise<void>): Promise<void>;
}

async function startWorld(
  first: FirstVersion,
  options: Pick<ControlPlaneOptions, 'binaries' | 'apiServerFlags'> = {},
): Promise<UpgradeWorld> {
  const fleet = { pools, nodesPerPool: 3, zones };
  const controlPlane = await startControlPlane({ ...options, fleet, audit: true });
  try {
    return await installFirst(first, controlPlane);
  } catch (error) {
    await controlPlane.stop();
    throw error;
  }
}

async function installFirst(first: FirstVersion, controlPlane: ControlPlane): Promise<UpgradeWorld> {
  const { kubeconfig } = controlPlane;
  const run = async (command: string): Promise<void> => runDocumented(command, kubeconfig, first.folder);
  const client = createClient(await loadKubeconfig({ path: kubeconfig }), { userAgent: 'spec' });
  await first.install(client, run);
  const log = new AuditLog(controlPlane.auditLog ?? '');
  const proxy = await startFaultProxy({ target: controlPlane, directory: controlPlane.directory });
  const world = new World(first.operator, controlPlane, client, log, proxy);
  await world.runFirst();
  await run(`kubectl apply ${samples.map((file) => `-f examples/${file}`).join(' ')}`);
  await world.applyMore();
  await world.settled();
  return world;
}

class World implements UpgradeWorld {
  readonly #firstOperator: string;
  readonly controlPlane: ControlPlane;
  readonly client: StreamingClient;
  readonly #log: AuditLog;
  readonly #proxy: FaultProxy;
  readonly #subjects: readonly Subject[];

  constructor(
    firstOperator: string,
    controlPlane: ControlPlane,
    client: StreamingClient,
    log: AuditLog,
    proxy: FaultProxy,
  ) {
    this.#firstOperator = firstOperator;
    this.controlPlane = controlPlane;
    this.client = client;
    this.#log = log;
    this.#proxy = proxy;
    const fleet = { pools, zones };
    this.#subjects = [
      ...poolWorkloadKinds.map((resource) => poolWorkloads(resource, objects, fleet)),
      unitedDeploymentSubject(objects, fleet),
      daemonSetSubject(objects),
      extendedDaemonSetSubject(objects),
    ];
  }

  async applyMore(): Promise<void> {
    await this.client.create(namespaces, { metadata: { name: namespace } });
    // The third pool has a taint.
    const names = (await this.controlPlane.nodes())
      .map(({ name }) => name)
      .filter((name) => !name.startsWith('shanghai'));
    const daemons = Array.from({ length: objects }, (_, index) => [daemonNodeLabel(index), 'yes'] as const);
    await this.controlPlane.labelNodes(names, { ...Object.fromEntries(daemons), size: 'large' });
    for (const subject of this.#subjects) await subject.create(this.client);
    await apply(this.client, extendedDaemonsetSettings, {
      metadata: { namespace: 'default', name: 'more-for-collector' },
      spec: {
        reference: { kind: 'ExtendedDaemonSet', name: 'collector' },
        nodeSelector: { matchLabels: { size: 'large' } },
        containers: [{ name: 'collector', resources: { requests: { cpu: '20m' } } }],
      },
    });
  }

  async runFirst(): Promise<void> {
    await this.#run(this.#firstOperator);
  }

  async beginRollouts(): Promise<readonly string[]> {
    const { client } = this;
    const daemons = this.#subjects.filter(
      ({ kind }) => kind.endsWith('DaemonSet') && !kind.startsWith('United'),
    );
    const others = this.#subjects.filter((subject) => !daemons.includes(subject));
    // The first pods are replaced; the next deletions never arrive, so that no daemon is done before the end.
    const lost = this.#proxy.keepRequests({ verb: 'delete', resource: 'pods', nth: 3, times: Infinity });
    for (const subject of daemons) await subject.change(client, last);
    await lost.whenKept(1, patienceMs);
    const killed = this.#proxy.inject(
      { verb: 'write', resource: ['deployments.apps', 'statefulsets.apps'], nth: 3 },
      {
        do: 'crash',
        when: 'before-forwarding',
        call: async () => this.controlPlane.component('operator').kill(),
      },
    );
    for (const subject of others) await subject.change(client, last);
    await killed.whenTaken(1, patienceMs);
    killed.remove();
    lost.remove();
    lost.drop();
    const open = await Promise.all(this.#subjects.map(async (subject) => subject.unsettled(client)));
    return open.flat();
  }

  async upgrade(): Promise<void> {
    await this.#end();
    await install(this.client);
    await this.#run(operatorScript);
  }

  async goBack(): Promise<void> {
    await this.#end();
    await this.runFirst();
  }

  async settled(): Promise<void> {
    await eventually(async () => {
      const open = await Promise.all(this.#subjects.map(async (subject) => subject.unsettled(this.client)));
      const waiting = (await this.client.list(pods)).items
        .filter((pod) => !isReady(pod))
        .map(({ metadata }) => `pod ${metadata.name} is not Ready`);
      const first = [...open.flat(), ...waiting][0];
      if (first !== undefined) throw new Error(first);
    }, patienceMs);
    // A status in which only numbers change is held back for five seconds.
    await this.#quiet(7_000);
  }

  async writesSince(since: number): Promise<readonly string[]> {
    await this.#log.readOn();
    const writes = this.#log.entries.filter(
      ({ user, verb, resource, at, dryRun }) =>
        user === operatorUser && at >= since && !dryRun && writing.has(verb) && !notObjects.test(resource),
    );
    return writes.map(({ verb, resource, subresource, name }) => {
      const part = subresource === undefined || subresource === '' ? '' : `/${subresource}`;
      return `${verb} ${resource}${part} ${name}`;
    });
  }

  async podsOfNewTemplates(): Promise<readonly string[]> {
    const { items } = await this.client.list(pods, { namespace });
    return items
      .filter(({ spec }) => spec?.containers[0]?.image?.endsWith(':1') === true)
      .map(({ metadata }) => metadata.uid);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#log.close();
    await this.#proxy.close();
    await this.client.close();
    await this.controlPlane.stop();
  }

  async #run(script: string): Promise<void> {
    const kubeconfig = await this.#proxy.kubeconfigFrom(
      await this.controlPlane.kubeconfigFor(operatorAccount),
    );
    const args = [
      script,
      '--kubeconfig',
      kubeconfig,
      '--bind-address=127.0.0.1:0',
      controllers,
      ...withoutElection,
    ];
    await this.controlPlane.runProgram({ name: 'operator', file: process.execPath, args });
  }

  async #end(): Promise<void> {
    const operator = this.controlPlane.components.find(({ name }) => name === 'operator');
    if (operator?.pid !== undefined) await operator.kill('SIGTERM');
  }

  /** Nothing was written for so long. */
  async #quiet(ms: number): Promise<void> {
    await eventually(async () => {
      const [write] = (await this.writesSince(Date.now() - ms)).slice(-1);
      if (write !== undefined) throw new Error(`the operator still writes: ${write}`);
    }, patienceMs);
  }
}

const writing = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);
/** Events, and questions to the API server that have the form of a creation. */
const notObjects = /^events\.|\.(authorization|authentication)\.k8s\.io$/;
/** Picks the last of everything, and of two things that may be done the second. */
const last = (): number => 0.99;
