// A mutating webhook that rewrites the affinity of pods as a whole takes the node out of it, and the scheduler binds them to any.
import { extendedDaemonSets, type ExtendedDaemonSet } from '@atoll/api';
import { nodes, pods, type Pod } from '@atoll/kube';
import { expect, it } from 'vitest';
import { FreshWorld } from '../../../../simulation/examples/fresh-world.ts';
import { withoutIdentity } from '../../../../simulation/messages/without-identity.ts';
import { createExtendedDaemonSetController } from '../../controller.ts';
import { agent, node } from '../../extended-daemon-set.fixture.ts';

const key = { namespace: 'edge', name: 'agent' };

/** The nodes a, b and c, and a scheduler that binds pods to their node, or to c. */
function worldOf() {
  const world = new FreshWorld();
  const { status: _, ...object } = withoutIdentity(agent('agent:1'));
  world.put(extendedDaemonSets, object);
  for (const name of ['a', 'b', 'c']) world.put(nodes, withoutIdentity(node(name)));
  const controller = createExtendedDaemonSetController(world.readers, 'auto', world.findings);
  let isBinding = true;
  let made = 0;
  const reconcile = (seconds: number): void => {
    for (let round = 0; round < seconds; round += 10) {
      const { outcome } = world.reconcile(controller, 'edge/agent');
      made += outcome.results.filter(
        ({ step, did }) => step.do === 'create' && step.resource.kind === 'Pod' && did === 'done',
      ).length;
      for (const { metadata, spec, status } of world.list(pods)) {
        if (status !== undefined || !isBinding) continue;
        const running = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
        const nodeName = namedBy({ spec } as Pod) ?? 'c';
        world.edit(pods, metadata, (each) => ({
          ...each,
          spec: { containers: [], ...each.spec, nodeName },
          status: running,
        }));
      }
      for (const { metadata } of world.list(pods)) {
        // The kubelet is done with it.
        if (metadata.deletionTimestamp === undefined) continue;
        world.edit(pods, metadata, (each) => {
          const { status: _, ...others } = each;
          return { ...others, spec: { containers: [], ...each.spec, nodeName: '' } };
        });
      }
      world.now += 10_000;
    }
  };
  return {
    world,
    reconcile,
    made: () => made,
    binds: (is: boolean) => (isBinding = is),
    ready: () => world.get(extendedDaemonSets, key).status?.conditions?.find(({ type }) => type === 'Ready'),
    places: () =>
      world
        .list(pods)
        .map(({ spec }) => spec?.nodeName ?? '')
        .sort(),
  };
}

function namedBy({ spec }: Pod): string | undefined {
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required?.nodeSelectorTerms[0]?.matchFields?.[0]?.values?.[0];
}

function offSpareNodes({ template, ...spec }: ExtendedDaemonSet['spec']): ExtendedDaemonSet['spec'] {
  const term = { matchExpressions: [{ key: 'spare', operator: 'DoesNotExist' }] };
  const affinity = {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } },
  };
  return { ...spec, template: { ...template, spec: { containers: [], ...template.spec, affinity } } };
}

function withoutNode<T extends object>(object: T): T {
  const { spec } = object as Pod;
  return spec?.affinity === undefined ? object : { ...object, spec: { ...spec, affinity: {} } };
}

it('a pod whose node a webhook takes out of its affinity is made again after a pause only, and shown', () => {
  const { world, reconcile, made, ready, places } = worldOf();
  world.rewrite = withoutNode;
  reconcile(120);
  expect(ready()).toMatchObject({
    status: 'False',
    reason: 'ChangedBack',
    message: expect.stringMatching(
      /^a, b: pod agent-a-\w+ was made for node a, and runs on c, because its node affinity does not name its node any more: somebody rewrites new pods, as a mutating webhook does/,
    ),
  });
  reconcile(1_680);
  // Three at first, and then one every five minutes: c keeps the one of a.
  expect(made()).toBeLessThan(10);
  world.rewrite = (object) => object;
  reconcile(360);
  expect(places()).toEqual(['b', 'c']);
  // As the message asks for.
  for (const { metadata } of world.list(pods))
    if (ready()?.message?.includes(`kubectl delete pod ${metadata.name} -n edge`) === true)
      world.remove(pods, metadata);
  reconcile(120);
  expect(places()).toEqual(['a', 'b', 'c']);
  expect(ready()).toMatchObject({ status: 'True' });
});

it('one on a node that is to have none is made again after a pause only, and shown', () => {
  const { world, reconcile, made, ready } = worldOf();
  // The webhook takes the affinity of the template, too.
  const spare = { spare: '' };
  world.edit(nodes, { name: 'c' }, (each) => ({ ...each, metadata: { ...each.metadata, labels: spare } }));
  world.edit(extendedDaemonSets, key, (object) => ({ ...object, spec: offSpareNodes(object.spec) }));
  world.rewrite = withoutNode;
  reconcile(280);
  expect(made()).toBe(2);
  expect(ready()).toMatchObject({
    reason: 'ChangedBack',
    message: expect.stringMatching(/^a, b: pod agent-a-/),
  });
  reconcile(320);
  expect(made()).toBe(4);
});

it('one that is not bound yet is waited for, and shown when that lasts', () => {
  const { world, reconcile, made, ready, places, binds } = worldOf();
  binds(false);
  world.rewrite = withoutNode;
  reconcile(40);
  expect(made()).toBe(3);
  expect(ready()?.reason).toBe('WaitingForReady');
  reconcile(900);
  expect(made()).toBe(3);
  expect(ready()).toMatchObject({
    reason: 'ChangedBack',
    message: expect.stringContaining('and is not bound, because'),
  });
  // As that message asks for.
  world.rewrite = (object) => object;
  for (const { metadata } of world.list(pods)) world.remove(pods, metadata);
  binds(true);
  reconcile(60);
  expect(places()).toEqual(['a', 'b', 'c']);
  expect(ready()).toMatchObject({ status: 'True' });
});

it('one that a webhook lets name its node otherwise is bound to it, and nothing is wrong', () => {
  const { world, reconcile, made, ready } = worldOf();
  const byHostname = <T extends object>(object: T): T => {
    const name = namedBy(object as Pod);
    if (name === undefined) return object;
    return {
      ...withoutNode(object),
      status: undefined,
      metadata: { ...(object as Pod).metadata, annotations: { name } },
    };
  };
  world.rewrite = byHostname;
  reconcile(20);
  for (const { metadata } of world.list(pods))
    world.edit(pods, metadata, (each) => ({
      ...each,
      spec: { containers: [], ...each.spec, nodeName: metadata.annotations?.['name'] ?? '' },
    }));
  reconcile(60);
  expect(made()).toBe(3);
  expect(ready()).toMatchObject({ status: 'True' });
});
