import { fileURLToPath } from 'node:url';
import type { StreamingClient } from '@atoll/kube';
import { stringify } from 'yaml';
import { kubernetesMinorOf } from '../binaries/versions.ts';
import { auditPolicyYaml } from '../history/audit-policy.ts';
import { ownFiles } from '../own-files.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import {
  apiServerFlags,
  auditFlags,
  controllerManagerFlags,
  etcdFlags,
  etcdName,
  kwokFlags,
  schedulerConfig,
  schedulerFlags,
  type KwokDomain,
  type Ports,
} from './component-flags.ts';
import { SupervisedComponent } from './component.ts';
import { flagArguments } from './flags.ts';
import type { BinaryPaths, ControlPlaneOptions, Flags } from './options.ts';
import type { ControlPlaneFiles } from './control-plane-files.ts';
import { copyStore } from './copy-store.ts';
import { probe } from './probe.ts';

export interface StartContext {
  /** As administrator. */
  readonly client: StreamingClient;
  readonly options: ControlPlaneOptions;
  readonly binaries: BinaryPaths;
  readonly files: ControlPlaneFiles;
  readonly ports: Ports;
  readonly url: string;
  readonly supervisor: Supervisor;
  /** Filled as the programs start. */
  readonly components: Map<string, SupervisedComponent>;
}

interface Program {
  readonly name: string;
  readonly file: string;
  readonly flags: readonly (Flags | undefined)[];
  readonly env?: Readonly<Record<string, string>>;
  readonly layer: number;
  /** When it ends by itself, as a static pod does. */
  readonly startsAgain?: boolean;
  readonly ready: () => Promise<boolean>;
}

/** etcd, then the API server, then the rest together. */
export async function startComponents(context: StartContext): Promise<void> {
  const { files, options } = context;
  if (options.store !== undefined) copyStore(options.store, files.path('etcd'));
  await begin(context, etcd(context));
  await begin(context, apiServer(context));
  await options.prepare?.(context.client);
  const wanted = new Set(options.components ?? ['kube-controller-manager', 'kube-scheduler', 'kwok']);
  const programs: Program[] = [];
  if (wanted.has('kube-controller-manager')) programs.push(await controllerManager(context));
  if (wanted.has('kube-scheduler')) programs.push(await scheduler(context));
  if (wanted.has('kwok')) programs.push(...(await kwoks(context)));
  await Promise.all(programs.map(async (program) => begin(context, program)));
}

async function begin(context: StartContext, program: Program): Promise<void> {
  const { files, supervisor, components, options } = context;
  const { name, flags, ready, startsAgain = false, ...rest } = program;
  const spec = { ...rest, name, args: flagArguments(...flags), logFile: files.path(`logs/${name}.log`) };
  const component = new SupervisedComponent(supervisor, spec, ready, { startsAgain });
  components.set(name, component);
  options.onProgress?.(`starting ${name}`);
  await component.start();
}

function etcd({ binaries, files, ports, options }: StartContext): Program {
  return {
    name: 'etcd',
    file: binaries.etcd,
    flags: [etcdFlags(files, ports), options.etcdFlags],
    layer: 0,
    // Its name too: where the port was taken meanwhile, the etcd of another control plane may answer there.
    ready: async () => {
      const url = `http://127.0.0.1:${ports.etcdClient}`;
      return (await probe(`${url}/health`)) && (await isMember(url, etcdName(ports)));
    },
  };
}

/** Whether the etcd at this URL has a member of this name. */
async function isMember(url: string, name: string): Promise<boolean> {
  const signal = AbortSignal.timeout(2_000);
  const answer = await fetch(`${url}/v3/cluster/member/list`, { method: 'POST', body: '{}', signal });
  const { members = [] } = (await answer.json()) as { readonly members?: readonly { name?: string }[] };
  return members.some((member) => member.name === name);
}

function apiServer({ binaries, files, ports, url, options }: StartContext): Program {
  const { audit = false } = options;
  const auditing =
    audit === false
      ? undefined
      : auditFlags(
          files.write('audit-policy.yaml', audit === true ? auditPolicyYaml : stringify(audit)),
          // The API server appends to a file that is there, so that the log can be emptied while it runs.
          files.write('audit.log', ''),
        );
  return {
    name: 'kube-apiserver',
    file: binaries['kube-apiserver'],
    flags: [apiServerFlags(files, ports, kubernetesMinorOf(process.env)), auditing, options.apiServerFlags],
    // A sixth less processor time over the tests of a control plane, for memory that it has.
    env: { GOGC: '400' },
    layer: 1,
    // Not /livez: that one is green before RBAC's own roles and the priority levels are there.
    ready: async () => probe(`${url}/readyz`, files.caPem),
  };
}

async function controllerManager({ binaries, files, ports, url, options }: StartContext): Promise<Program> {
  const name = 'kube-controller-manager';
  const kubeconfig = files.writeKubeconfig(
    `${name}.kubeconfig`,
    url,
    await files.issueMaster(`system:${name}`),
  );
  const grace = options.nodeMonitorGraceSeconds ?? nodeLeaseSecondsOf(options) + 50;
  return {
    name,
    file: binaries[name],
    flags: [controllerManagerFlags(files, ports, kubeconfig, grace), options.controllerManagerFlags],
    layer: 2,
    ready: async () => probe(`https://127.0.0.1:${ports.controllerManager}/healthz`, files.caPem),
  };
}

async function scheduler({ binaries, files, ports, url, options }: StartContext): Promise<Program> {
  const name = 'kube-scheduler';
  const kubeconfig = files.writeKubeconfig(
    `${name}.kubeconfig`,
    url,
    await files.issueMaster(`system:${name}`),
  );
  const config = files.write('scheduler.yaml', stringify(schedulerConfig(kubeconfig)));
  return {
    name,
    file: binaries[name],
    flags: [schedulerFlags(files, ports, config), options.schedulerFlags],
    layer: 2,
    // From Kubernetes 1.35 on it ends where its watch broke and a pod was replaced by one of the same name meanwhile.
    startsAgain: true,
    ready: async () => probe(`https://127.0.0.1:${ports.scheduler}/healthz`, files.caPem),
  };
}

async function kwoks({ binaries, files, url, options }: StartContext): Promise<Program[]> {
  const kubeconfig = files.writeKubeconfig('kwok.kubeconfig', url, await files.issueMaster('kwok'));
  const stages = options.stageFiles ?? defaultStageFiles;
  const lease = nodeLeaseSecondsOf(options);
  return [...kwokDomainsOf(options)].map(([name, domain]) => ({
    name,
    file: binaries.kwok,
    flags: [kwokFlags(kubeconfig, stages, lease, domain), options.kwokFlags],
    layer: 2,
    // It has no endpoint unless asked to serve the kubelet's API; nodes that become Ready are its sign of life.
    ready: async () => Promise.resolve(true),
  }));
}

function kwokDomainsOf({ kwokDomains }: ControlPlaneOptions): Map<string, KwokDomain> {
  if (kwokDomains === undefined) return new Map([['kwok', { selector: undefined, podRange: '10.0.0.0/8' }]]);
  return new Map(
    Object.entries(kwokDomains).map(([name, selector], index) => [
      kwokNameOf(name),
      { selector, podRange: `10.${index + 1}.0.0/16` },
    ]),
  );
}

/** The component that plays the kubelets of a failure domain. */
export function kwokNameOf(domain: string): string {
  return `kwok-${domain}`;
}

function nodeLeaseSecondsOf(options: ControlPlaneOptions): number {
  return options.nodeLeaseSeconds ?? 200;
}

const defaultStageFiles = ['node.yaml', 'pod.yaml'].map((name) =>
  fileURLToPath(new URL(name, ownFiles.stages)),
);
