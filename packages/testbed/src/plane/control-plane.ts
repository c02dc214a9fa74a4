import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { Rest } from '../api/rest.ts';
import { findBinaries } from '../binaries/find-binaries.ts';
import {
  createCertificateAuthority,
  createSigningKey,
  issueCertificate,
} from '../certificates/certificate.ts';
import { createNodes, deleteNodes, labelNode } from '../fleet/nodes.ts';
import { nodeSpecsOf, type ClusterShape } from '../fleet/node-spec.ts';
import type { ProgramSpec } from '../supervisor/protocol.ts';
import { Supervisor } from '../supervisor/supervisor.ts';
import { SupervisedComponent, type Component } from './component.ts';
import {
  apiServerFlags,
  controllerManagerFlags,
  etcdFlags,
  kwokFlags,
  schedulerConfig,
  schedulerFlags,
  type Files,
  type Ports,
} from './component-flags.ts';
import { flagArguments } from './flags.ts';
import { freePorts } from './free-port.ts';
import { kubeconfigOf } from './kubeconfig.ts';
import type { ControlPlaneOptions } from './options.ts';

export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

export interface ControlPlane {
  readonly url: string;
  readonly directory: string;
  readonly caFile: string;
  /** PEM. */
  readonly caData: string;
  /** The administrator's kubeconfig file. */
  readonly kubeconfig: string;
  /** Undefined unless the plane was started with `audit`. */
  readonly auditLog: string | undefined;
  readonly components: readonly Component[];
  /** Writes a kubeconfig with a token of this ServiceAccount and yields the file; the account is created where absent. */
  kubeconfigFor(account: ServiceAccountName): Promise<string>;
  component(name: string): Component;
  addNodes(shape: ClusterShape): Promise<readonly string[]>;
  removeNodes(names: readonly string[]): Promise<void>;
  /** `null` removes a label. */
  labelNodes(names: readonly string[], labels: Readonly<Record<string, string | null>>): Promise<void>;
  /** Ends every process and removes the directory. Can be called again. */
  stop(): Promise<void>;
}

/** Starts a control plane and resolves when it takes work. Rejects, with nothing left behind, when it cannot. */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  options.signal?.throwIfAborted();
  const binaries = options.binaries ?? (await findBinaries());
  const progress = options.onProgress ?? (() => undefined);
  const directory = options.directory ?? mkdtempSync(join(tmpdir(), 'atoll-plane-'));
  const path = (name: string): string => join(directory, name);
  mkdirSync(path('logs'), { recursive: true });

  const components = new Map<string, SupervisedComponent>();
  const supervisor = new Supervisor(directory, (exit) => components.get(exit.name)?.ended(exit));
  const stop = async (): Promise<void> => await supervisor.shutdown(20_000);
  options.signal?.addEventListener('abort', () => void stop(), { once: true });

  try {
    const [etcdClient, etcdPeer, apiServer, controllerManager, scheduler] = (await freePorts(5)) as [
      number,
      number,
      number,
      number,
      number,
    ];
    const ports: Ports = { etcdClient, etcdPeer, apiServer, controllerManager, scheduler };
    const url = `https://127.0.0.1:${apiServer}`;
    const files: Files = {
      ca: path('ca.crt'),
      servingCert: path('apiserver.crt'),
      servingKey: path('apiserver.key'),
      serviceAccountPublic: path('service-account.pub'),
      serviceAccountKey: path('service-account.key'),
      auditPolicy: path('audit-policy.yaml'),
      auditLog: path('audit.log'),
      schedulerConfig: path('scheduler.yaml'),
      etcdData: path('etcd'),
    };
    const authority = createCertificateAuthority('atoll-testbed');
    const serving = issueCertificate(authority, {
      commonName: 'kube-apiserver',
      hosts: ['127.0.0.1', 'localhost', 'kubernetes.default.svc'],
      usage: 'server',
    });
    const signing = createSigningKey();
    const write = (file: string, content: string): void => writeFileSync(file, content, { mode: 0o600 });
    write(files.ca, authority.certificatePem);
    write(files.servingCert, serving.certificatePem);
    write(files.servingKey, serving.keyPem);
    write(files.serviceAccountPublic, signing.publicPem);
    write(files.serviceAccountKey, signing.keyPem);
    write(files.auditPolicy, stringify(typeof options.audit === 'object' ? options.audit : auditPolicy));

    const administrator = issueCertificate(authority, {
      commonName: 'administrator',
      organizations: ['system:masters'],
      usage: 'client',
    });
    const kubeconfigOfMaster = (name: string): string => {
      const pair = issueCertificate(authority, {
        commonName: name,
        organizations: ['system:masters'],
        usage: 'client',
      });
      const file = path(`${name.replace('system:', '')}.kubeconfig`);
      write(file, kubeconfigOf(url, authority.certificatePem, { name, ...pair }));
      return file;
    };
    const kubeconfig = path('kubeconfig');
    write(
      kubeconfig,
      kubeconfigOf(url, authority.certificatePem, { name: 'administrator', ...administrator }),
    );
    const rest = new Rest({
      url,
      ca: authority.certificatePem,
      cert: administrator.certificatePem,
      key: administrator.keyPem,
    });

    const begin = async (
      spec: Omit<ProgramSpec, 'logFile'>,
      ready: () => Promise<boolean>,
    ): Promise<void> => {
      const component = new SupervisedComponent(
        supervisor,
        { ...spec, logFile: path(`logs/${spec.name}.log`) },
        ready,
      );
      components.set(spec.name, component);
      progress(`starting ${spec.name}`);
      await component.start(60_000);
    };

    await begin(
      {
        name: 'etcd',
        file: binaries.etcd,
        args: flagArguments(etcdFlags(files, ports), options.etcdFlags),
        layer: 0,
      },
      async () => await isHealthy(`http://127.0.0.1:${etcdClient}/health`),
    );
    await begin(
      {
        name: 'kube-apiserver',
        file: binaries['kube-apiserver'],
        args: flagArguments(apiServerFlags(files, ports, options), options.apiServerFlags),
        layer: 1,
      },
      async () => (await rest.send('GET', '/readyz')).status === 200,
    );

    const wanted = new Set(options.components ?? ['kube-controller-manager', 'kube-scheduler', 'kwok']);
    const leaseSeconds = options.nodeLeaseSeconds ?? 200;
    const rests: Promise<void>[] = [];
    const always = async (): Promise<boolean> => await Promise.resolve(true);
    if (wanted.has('kube-controller-manager')) {
      const grace = options.nodeMonitorGraceSeconds ?? leaseSeconds + 50;
      const flags = controllerManagerFlags(
        files,
        ports,
        kubeconfigOfMaster('system:kube-controller-manager'),
        grace,
      );
      const args = flagArguments(flags, options.controllerManagerFlags);
      rests.push(
        begin(
          { name: 'kube-controller-manager', file: binaries['kube-controller-manager'], args, layer: 2 },
          always,
        ),
      );
    }
    if (wanted.has('kube-scheduler')) {
      write(files.schedulerConfig, stringify(schedulerConfig(kubeconfigOfMaster('system:kube-scheduler'))));
      const args = flagArguments(schedulerFlags(files, ports));
      rests.push(begin({ name: 'kube-scheduler', file: binaries['kube-scheduler'], args, layer: 2 }, always));
    }
    if (wanted.has('kwok')) {
      const kwokKubeconfig = kubeconfigOfMaster('kwok');
      const stages = options.stageFiles ?? defaultStageFiles;
      const domains: [string, string | undefined][] =
        options.kwokDomains === undefined
          ? [['kwok', undefined]]
          : Object.entries(options.kwokDomains).map(([name, selector]) => [`kwok-${name}`, selector]);
      for (const [name, selector] of domains) {
        const args = flagArguments(
          kwokFlags(kwokKubeconfig, stages, leaseSeconds, selector),
          options.kwokFlags,
        );
        rests.push(begin({ name, file: binaries.kwok, args, layer: 2 }, always));
      }
    }
    await Promise.all(rests);

    const plane: ControlPlane = {
      url,
      directory,
      caFile: files.ca,
      caData: authority.certificatePem,
      kubeconfig,
      auditLog: options.audit === undefined || options.audit === false ? undefined : files.auditLog,
      get components() {
        return [...components.values()];
      },
      async kubeconfigFor({ namespace, name }) {
        const base = `/api/v1/namespaces/${namespace}/serviceaccounts`;
        const existing = await rest.send('GET', `${base}/${name}`);
        if (existing.status === 404) await rest.json('POST', base, { metadata: { name } });
        const request = {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenRequest',
          spec: { expirationSeconds: 86_400 },
        };
        const answer = await rest.json<{ status: { token: string } }>(
          'POST',
          `${base}/${name}/token`,
          request,
        );
        const file = path(`${namespace}.${name}.kubeconfig`);
        write(
          file,
          kubeconfigOf(url, authority.certificatePem, { name, namespace, token: answer.status.token }),
        );
        return file;
      },
      component(name) {
        const found = components.get(name);
        if (found === undefined) {
          throw new Error(`no component ${name}; this plane has ${[...components.keys()].join(', ')}`);
        }
        return found;
      },
      async addNodes(shape) {
        return await createNodes(rest, nodeSpecsOf(shape));
      },
      async removeNodes(names) {
        await deleteNodes(rest, names);
      },
      async labelNodes(names, labels) {
        for (const name of names) await labelNode(rest, name, labels);
      },
      async stop() {
        rest.close();
        await stop();
      },
    };

    if (wanted.has('kube-controller-manager')) {
      progress('waiting for the default ServiceAccount');
      await until(
        async () =>
          (await rest.send('GET', '/api/v1/namespaces/default/serviceaccounts/default')).status === 200,
        30_000,
        'the default ServiceAccount',
      );
    }
    if (options.fleet !== undefined) {
      progress('creating nodes');
      await plane.addNodes(options.fleet);
    }
    options.signal?.throwIfAborted();
    return plane;
  } catch (error) {
    await supervisor.shutdown(0);
    throw error;
  }
}

const defaultStageFiles = ['node.yaml', 'pod.yaml'].map((name) =>
  fileURLToPath(new URL(`../../stages/${name}`, import.meta.url)),
);

/** Who wrote what and when; leases and events are left out because they are most writes and tell least. */
const auditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    { level: 'None', verbs: ['get', 'list', 'watch'] },
    {
      level: 'None',
      resources: [
        { group: 'coordination.k8s.io' },
        { group: '', resources: ['events'] },
        { group: 'events.k8s.io' },
      ],
    },
    { level: 'RequestResponse' },
  ],
};

async function until(condition: () => Promise<boolean>, deadlineMs: number, what: string): Promise<void> {
  const deadline = Date.now() + deadlineMs;
  while (!(await condition().catch(() => false))) {
    if (Date.now() > deadline) throw new Error(`gave up waiting for ${what} after ${deadlineMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function isHealthy(url: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const request = get(url, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('error', () => resolve(false));
    request.setTimeout(2000, () => request.destroy());
  });
}
