import { mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Rest } from '../api/rest.ts';
import { obtainBinaries } from '../binaries/obtain-binaries.ts';
import { sweepAbandoned } from '../supervisor/end-abandoned.ts';
import { Supervisor } from '../supervisor/supervisor.ts';
import { StartFailure, type SupervisedComponent } from './component.ts';
import type { ControlPlane } from './control-plane.ts';
import { freePorts } from './free-port.ts';
import type { BinaryPaths, ControlPlaneOptions } from './options.ts';
import { PlaneFiles } from './plane-files.ts';
import { RunningPlane } from './running-plane.ts';
import { startComponents } from './start-components.ts';

const prefix = 'atoll-plane-';
const attempts = 3;
/** How long a program may take to end by itself, in milliseconds. */
const graceMs = 20_000;

/**
 * Starts a control plane and resolves when it takes work. Rejects, with nothing left behind, when it cannot.
 * Whatever happens to this process, the plane ends with it.
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
  const directory = prepareDirectory(options.directory);
  const components = new Map<string, SupervisedComponent>();
  const supervisor = new Supervisor(directory, (exit) => components.get(exit.name)?.ended(exit));
  const abort = (): void => void supervisor.shutdown(0);
  options.signal?.addEventListener('abort', abort, { once: true });
  try {
    const files = new PlaneFiles(directory);
    const [etcdClient = 0, etcdPeer = 0, apiServer = 0, controllerManager = 0, scheduler = 0] =
      await freePorts(5);
    const ports = { etcdClient, etcdPeer, apiServer, controllerManager, scheduler };
    const url = `https://127.0.0.1:${apiServer}`;
    const administrator = files.issueMaster('administrator');
    const kubeconfig = files.writeKubeconfig('kubeconfig', url, administrator);
    const rest = new Rest({
      url,
      ca: files.caPem,
      cert: administrator.certificatePem,
      key: administrator.keyPem,
    });

    await startComponents({ options, binaries, files, ports, url, supervisor, components });
    if (components.has('kube-controller-manager')) {
      options.onProgress?.('waiting for the default ServiceAccount');
      await awaitDefaultServiceAccount(rest);
    }
    const plane = new RunningPlane({
      url,
      kubeconfig,
      audited: options.audit !== undefined && options.audit !== false,
      files,
      rest,
      components,
      stop: async () => {
        options.signal?.removeEventListener('abort', abort);
        rest.close();
        await supervisor.shutdown(graceMs);
      },
    });
    if (options.fleet !== undefined) {
      options.onProgress?.('registering nodes');
      await plane.addNodes(options.fleet);
    }
    options.signal?.throwIfAborted();
    return plane;
  } catch (error) {
    options.signal?.removeEventListener('abort', abort);
    await supervisor.shutdown(0);
    throw error;
  }
}

/** The folder is removed with the plane, so one that holds anything is refused. */
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

/** Without it no pod is admitted: the ServiceAccount admission plugin refuses them. */
async function awaitDefaultServiceAccount(rest: Rest): Promise<void> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const answer = await rest.send('GET', '/api/v1/namespaces/default/serviceaccounts/default');
    if (answer.status === 200) return;
    if (Date.now() > deadline) {
      throw new Error(
        'the controller manager made no default ServiceAccount within 30 s, so no pod would be admitted',
      );
    }
    await delay(25);
  }
}

function isPortTaken(error: unknown): boolean {
  return error instanceof StartFailure && /address already in use/i.test(error.log);
}
