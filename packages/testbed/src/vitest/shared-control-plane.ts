import type { TestProject } from 'vitest/node';
import { startControlPlane } from '../control-plane/start-control-plane.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The administrator's kubeconfig file of the control plane that all integration tests share. */
    readonly kubeconfig: string;
    /** The API server's audit log of that control plane. */
    readonly auditLog: string;
    /** A folder for what several files need and the first of them makes; removed when the run ends. */
    readonly sharedFolder: string;
  }
}

/** One control plane for the whole run: 2 pools of 3 nodes. Tests take a namespace each and own what they name. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const controlPlane = await startControlPlane({ fleet: { pools: 2, nodesPerPool: 3 }, audit: true });
  project.provide('kubeconfig', controlPlane.kubeconfig);
  project.provide('auditLog', controlPlane.auditLog ?? '');
  project.provide('sharedFolder', controlPlane.directory);
  return async () => controlPlane.stop();
}
