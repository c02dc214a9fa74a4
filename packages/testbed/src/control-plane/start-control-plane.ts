import { mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createClient, loadKubeconfig } from '@atoll/kube';
import { obtainBinaries } from '../binaries/obtain-binaries.ts';
import { sweepAbandoned } from '../supervisor/end-abandoned.ts';
import { Supervisor } from '../supervisor/supervisor.ts';
import { StartFailure, type SupervisedComponent } from './component.ts';
import type { ControlPlane } from './control-plane.ts';
import { freePorts } from './free-port.ts';
import type { BinaryPaths, ControlPlaneOptions } from './options.ts';
import { refuseForeignFile } from './kubeconfig.ts';
import { ControlPlaneFiles } from './control-plane-files.ts';
import { RunningControlPlane } from './running-control-plane.ts';
import { awaitDefaultServiceAccount } from './service-account.ts';
import { startComponents } from './start-components.ts';

const prefix = 'atoll-plane-';
const attempts = 3;
/** How long a program may take to end by itself, in milliseconds. */
const graceMs = 20_000;

/**
 * Starts a control plane and resolves when it takes work. Rejects, with nothing left behind, when it cannot.
 * Whatever happens to this process, the control plane ends with it.
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  options.signal?.throwIfAborted();
  const binaries =
    options.binaries ??
    (await obtainBinaries({
      ...(options.onProgress === undefined ? {} : { onProgress: options.onProgress }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    }));
  sweepAbandoned(tmpdir(), prefix);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOnce(options, binaries);
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!isPortTaken(error) || attempt === attempts) throw error;
      options.onProgress?.('a port was taken by someone else; trying others');
    }
  }
}

async function startOnce(options: ControlPlaneOptions, binaries: BinaryPaths): Promise<ControlPlane> {
  const kubeconfigFile = options.kubeconfigFile === undefined ? undefined : resolve(options.kubeconfigFile);
  if (kubeconfigFile !== undefined) refuseForeignFile(kubeconfigFile);
  const directory = prepareDirectory(options.directory);
  const components = new Map<string, SupervisedComponent>();
  let stopping = false;
  const supervisor = new Supervisor(directory, kubeconfigFile, (exit) => {
    const component = components.get(exit.name);
    if (component?.ended(exit) !== true || stopping) return;
    const message = `${exit.name} ended by itself (${exit.signal ?? `exit code ${exit.code}`})`;
    void component.startAgain().then((isBack) => {
      if (isBack) options.onProgress?.(`${message} and was started again`);
      else if (!stopping) options.onUnexpectedExit?.(message);
    });
  });
  const abort = (): void => {
    stopping = true;
    void supervisor.shutdown(0);
  };
  options.signal?.addEventListener('abort', abort, { once: true });
  try {
    const files = await ControlPlaneFiles.create(directory);
    const [etcdClient = 0, etcdPeer = 0, apiServer = 0, controllerManager = 0, scheduler = 0] =
      await freePorts(5);
    const ports = { etcdClient, etcdPeer, apiServer, controllerManager, scheduler };
    const url = `https://127.0.0.1:${apiServer}`;
    const administrator = await files.issueMaster('administrator');
    const kubeconfig = files.writeKubeconfig('kubeconfig', url, administrator);
    if (kubeconfigFile !== undefined) files.writeKubeconfig(kubeconfigFile, url, administrator);
    const client = createClient(await loadKubeconfig({ path: kubeconfig }), { userAgent: 'atoll-testbed' });
    await startComponents({ options, binaries, files, ports, url, client, supervisor, components });
    if (components.has('kube-controller-manager')) {
      options.onProgress?.('waiting for the default ServiceAccount');
      await awaitDefaultServiceAccount(client);
    }
    const controlPlane = new RunningControlPlane({
      url,
      kubeconfig,
      audited: options.audit !== undefined && options.audit !== false,
      files,
      client,
      components,
      supervisor,
      ended: supervisor.ended,
      stop: async () => {
        stopping = true;
        options.signal?.removeEventListener('abort', abort);
        await client.close();
        await supervisor.shutdown(graceMs);
      },
    });
    if (options.fleet !== undefined) {
      options.onProgress?.('registering nodes');
      await controlPlane.addNodes(options.fleet);
    }
    options.signal?.throwIfAborted();
    return controlPlane;
  } catch (error) {
    options.signal?.removeEventListener('abort', abort);
    await supervisor.shutdown(0);
    throw error;
  }
}

/** The folder is removed with the control plane, so one that holds anything is refused. */
function prepareDirectory(wanted: string | undefined): string {
  if (wanted === undefined) {
    const created = mkdtempSync(join(tmpdir(), prefix));
    mkdirSync(join(created, 'logs'));
    return created;
  }
  mkdirSync(wanted, { recursive: true, mode: 0o700 });
  if (readdirSync(wanted).length > 0) {
    throw new Error(
      `${wanted} is not empty; a control plane needs a folder of its own, which is removed with it`,
    );
  }
  mkdirSync(join(wanted, 'logs'));
  return wanted;
}

function isPortTaken(error: unknown): boolean {
  return error instanceof StartFailure && /address already in use/i.test(error.log);
}
