import type { TestProject } from 'vitest/node';
import { startControlPlane } from '../plane/start-control-plane.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The administrator's kubeconfig file of the plane that all integration tests share. */
    readonly kubeconfig: string;
    /** The API server's audit log of that plane. */
    readonly auditLog: string;
  }
}

/** One plane for the whole run: 2 pools of 3 nodes. Tests take a namespace each and own what they name. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const plane = await startControlPlane({ fleet: { pools: 2, nodesPerPool: 3 }, audit: true });
  project.provide('kubeconfig', plane.kubeconfig);
  project.provide('auditLog', plane.auditLog ?? '');
  return async () => plane.stop();
}
