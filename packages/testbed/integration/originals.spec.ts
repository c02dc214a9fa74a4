import { describe, expect, it } from 'vitest';
import { originalDefinition, originals } from '../src/originals/definitions.ts';
import { obtainModule } from '../src/originals/go-module.ts';

const { extendedDaemonSet, openKruise, openYurt, yurtAppManager } = originals;

describe('definitions as their projects publish them', () => {
  it.each([
    [openKruise, 'clonesets.apps.kruise.io', 'CloneSet'],
    [openKruise, 'uniteddeployments.apps.kruise.io', 'UnitedDeployment'],
    [openYurt, 'nodepools.apps.openyurt.io', 'NodePool'],
    [yurtAppManager, 'yurtappdaemons.apps.openyurt.io', 'YurtAppDaemon'],
    [extendedDaemonSet, 'extendeddaemonsets.datadoghq.com', 'ExtendedDaemonSet'],
  ])('of $path have %s', async (project, name, kind) => {
    const { metadata, spec } = await originalDefinition(project, name);
    expect([metadata.name, spec.names.kind]).toEqual([name, kind]);
  });

  it('are refused where the content is another', async () => {
    const other = { ...yurtAppManager, sum: 'h1:other' };
    await expect(obtainModule(other)).rejects.toThrow(
      `${other.path} ${other.version} has the sum ${yurtAppManager.sum}; expected is h1:other`,
    );
  });

  it('that nobody published are reported', async () => {
    const environment = { ...process.env, GOPROXY: 'off' };
    const unknown = { ...yurtAppManager, version: 'v0.0.99' };
    await expect(obtainModule(unknown, environment)).rejects.toThrow(
      `${unknown.path} v0.0.99 cannot be had: `,
    );
  });
});
