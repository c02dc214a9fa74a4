import { describe, expect, it } from 'vitest';
import { unitedDeployments } from '@atoll/api';
import { ApiError, deployments } from '@atoll/kube';
import type { KubeObject, Resource } from '@atoll/kube';
import type { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import { childName } from '../../children/names.ts';
import {
  childOf,
  childrenOf,
  editSpec,
  podTemplate,
  rollOut,
  spread,
  web,
  webKey,
  zone,
} from '../../../simulation/examples/spread-example.ts';

function renamed(message: string, fate: 'refused' | 'unsent' = 'refused') {
  const found = spread(web([zone('a'), zone('b')], 'Deployment', { replicas: 4 }));
  const { world, controller } = found;
  world.untilSteady(controller, 'ns/web');
  editSpec(world, () => ({ topology: { subsets: [zone('a'), zone('c')] } }));
  const error = new ApiError({ fate, code: 403, reason: 'Forbidden', attempted: 'create', message });
  world.refuse = ({ verb }) => (verb === 'create-by-apply' ? error : undefined);
  return found;
}

function pause(world: FreshWorld, paused: boolean): void {
  const spec = { template: podTemplate, paused };
  editSpec(world, () => ({ template: { deploymentTemplate: { metadata: podTemplate.metadata, spec } } }));
}

describe('the child of a subset that is removed', () => {
  it.each([
    ['may not have its replicas', 'apply'],
    ['may not be taken back', 'patch'],
  ] as const)('stays while one that is to become ours again %s', (_, refused) => {
    const { world, controller } = spread(web([zone('a'), zone('b')], 'Deployment', { replicas: 4 }));
    world.untilSteady(controller, 'ns/web');
    const { name } = childOf(world, 'a').metadata;
    world.edit(deployments, { namespace: 'ns', name }, ({ metadata, ...found }) => ({
      ...found,
      metadata: { ...metadata, ownerReferences: [] },
    }));
    editSpec(world, () => ({ topology: { subsets: [zone('a')] } }));
    const denied = { code: 403, reason: 'Forbidden', message: 'denied by a policy' } as const;
    const error = new ApiError({ fate: 'refused', attempted: refused, ...denied });
    world.refuse = ({ verb, resource }) =>
      verb === refused && resource === (deployments as unknown) ? error : undefined;
    for (let round = 0; round < 4; round += 1) world.reconcile(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'Deployment 2', b: 'Deployment 2' });
    world.refuse = () => undefined;
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'Deployment 4' });
  });
});

describe('the child of a subset that is renamed', () => {
  it.each([
    ['as many replicas', [zone('a'), zone('c')], { a: 2, c: 2 }],
    ['replicas of others, too', [zone('a', { replicas: 1 }), zone('c')], { a: 1, c: 3 }],
  ])('stays while the template is paused, with %s', (_, subsets, then) => {
    const { world, controller } = spread(web([zone('a'), zone('b')], 'Deployment', { replicas: 4 }));
    world.untilSteady(controller, 'ns/web');
    rollOut(world);
    pause(world, true);
    world.untilSteady(controller, 'ns/web');
    editSpec(world, () => ({ topology: { subsets } }));
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toMatchObject({ b: 'Deployment 2' });
    pause(world, false);
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: `Deployment ${then.a}`, c: `Deployment ${then.c}` });
  });

  it('stays while the one under the new name is refused', () => {
    const { world, controller } = renamed('denied by a policy');
    for (let round = 0; round < 4; round += 1) world.reconcile(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'Deployment 2', b: 'Deployment 2' });
    world.refuse = () => undefined;
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'Deployment 2', c: 'Deployment 2' });
  });

  it('goes where a quota refuses the other one, and so makes room for it', () => {
    const { world, controller } = renamed('exceeded quota: two, requested: count/deployments.apps=1');
    world.reconcile(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'Deployment 2' });
  });

  it.each([
    ['whose patch cannot be merged', { patch: { spec: { containers: 'none' } } }, false],
    ['whose name is taken', {}, true],
  ])('stays for one %s', (_, more, isTaken) => {
    const { world, controller } = spread(web([zone('a'), zone('b')], 'Deployment', { replicas: 4 }));
    world.untilSteady(controller, 'ns/web');
    const name = childName(world.get(unitedDeployments, webKey).metadata, 'c');
    if (isTaken) world.put(deployments as Resource<KubeObject>, { metadata: { namespace: 'ns', name } });
    editSpec(world, () => ({ topology: { subsets: [zone('a'), zone('c', more)] } }));
    for (let round = 0; round < 4; round += 1) world.reconcile(controller, 'ns/web');
    expect(childrenOf(world)).toMatchObject({ a: 'Deployment 2', b: 'Deployment 2' });
    if (isTaken) world.remove(deployments as Resource<KubeObject>, { namespace: 'ns', name });
    editSpec(world, () => ({ topology: { subsets: [zone('a'), zone('c')] } }));
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'Deployment 2', c: 'Deployment 2' });
  });

  it('stays while another one may not have its replicas', () => {
    const { world, controller } = renamed('denied by a policy');
    editSpec(world, () => ({ topology: { subsets: [zone('a')] } }));
    const { refuse } = world;
    world.refuse = (operation) =>
      operation.verb === 'apply' ? refuse({ ...operation, verb: 'create-by-apply' }) : undefined;
    for (let round = 0; round < 4; round += 1) world.reconcile(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'Deployment 2', b: 'Deployment 2' });
    world.refuse = () => undefined;
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'Deployment 4' });
  });

  it('goes with all others where nothing is wrong, in the same reconcile', () => {
    const { world, controller } = renamed('');
    world.refuse = () => undefined;
    world.reconcile(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'Deployment 2', c: 'Deployment 2' });
  });
});
