import { groupResourceOf } from '@atoll/kube';
import type { KubeObject, Resource } from '@atoll/kube';
import { startRecording, type ControlPlane, type Recording } from '@atoll/testbed';
import { expect } from 'vitest';
import { cacheNamesOf } from '../../src/definitions/declared-caches.ts';
import type { KindDefinition } from '../../src/definitions/kind-definition.ts';
import { kindDefinitions } from '../../src/definitions/kind-definitions.ts';
import { leaveUsedRights } from './leave-used-rights.ts';
import { operatorUser } from './operator-account.ts';

/** Records what the operator writes, and what happens to it. */
export async function recordOperator(controlPlane: ControlPlane): Promise<Recording> {
  const resources = recordedResources(kindDefinitions);
  const { kubeconfig, auditLog = '' } = controlPlane;
  const recording = await startRecording({ kubeconfig, auditLog, resources });
  const { testPath } = expect.getState();
  const stop = async (): Promise<void> => {
    leaveUsedRights(auditLog, operatorUser, testPath);
    await recording.stop();
  };
  return { ...recording, stop, [Symbol.asyncDispose]: stop };
}

/**
 * The resources of the kinds and all that their controllers write, but for what need not be installed, and for what is read in part
 * only, as pods are.
 */
function recordedResources(definitions: readonly KindDefinition[]): readonly Resource<KubeObject>[] {
  const recorded = new Map<string, Resource<KubeObject>>();
  for (const definition of definitions) {
    for (const { resource } of [definition, ...definition.writes]) {
      const caches = cacheNamesOf(definition, resource).map((name) => definition.reads[name]);
      const isWhole = caches.every((cache) => cache?.limits === undefined && cache?.optional === undefined);
      if (isWhole) recorded.set(groupResourceOf(resource), resource);
    }
  }
  return [...recorded.values()];
}
