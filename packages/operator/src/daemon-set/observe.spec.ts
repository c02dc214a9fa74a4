import { yurtManager } from '@atoll/api';
import { daemonSets, deployments } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { FreshWorld } from '../../simulation/examples/fresh-world.ts';
import { agent } from './daemon-set.fixture.ts';
import { noFindings } from '../causes/findings.ts';
import { observe } from './observe.ts';

const key = { namespace: 'edge', name: 'agent' };

function observed(change: {
  readonly replicas?: number;
  readonly args?: readonly string[];
  readonly name?: string;
}) {
  const { replicas = 1, args = [], name = yurtManager } = change;
  const world = new FreshWorld();
  const { metadata, ...rest } = agent();
  world.put(daemonSets, { ...rest, metadata: { ...key, annotations: metadata.annotations ?? {} } });
  const template = { spec: { containers: [{ name: 'manager', image: 'm', args }] } };
  world.put(deployments, {
    metadata: { namespace: 'kube-system', name },
    spec: { replicas, selector: {}, template },
  });
  return observe(world.readers, noFindings, key)?.yurtManagers;
}

describe("OpenYurt's manager is seen", () => {
  it.each([
    ['where it runs', {}, ['Deployment kube-system/yurt-manager']],
    ['not where it is scaled to zero', { replicas: 0 }, []],
    ['not where its controller is switched off', { args: ['--controllers=*,-daemonpodupdater'] }, []],
    ['nor by the longer name', { args: ['--controllers=*,-daemon-pod-updater-controller'] }, []],
    [
      'where another controller is switched off',
      { args: ['--controllers=*,-nodepool'] },
      ['Deployment kube-system/yurt-manager'],
    ],
    ['not in another Deployment', { name: 'web' }, []],
  ])('%s', (_, change, expected) => {
    expect(observed(change)).toEqual(expected);
  });
});

it('observes nothing of a DaemonSet that asks for nothing', () => {
  const world = new FreshWorld();
  const { metadata: _, ...rest } = agent();
  world.put(daemonSets, { ...rest, metadata: key });
  expect(observe(world.readers, noFindings, key)).toBeUndefined();
  expect(observe(world.readers, noFindings, { ...key, name: 'other' })).toBeUndefined();
});
