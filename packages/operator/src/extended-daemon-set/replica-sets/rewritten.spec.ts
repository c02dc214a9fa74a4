// A mutating webhook, or a definition that prunes, changes what is stored of a replica set when it is made.
import {
  extendedDaemonSetReplicaSets,
  extendedDaemonSets,
  type ExtendedDaemonSetReplicaSet,
} from '@atoll/api';
import { nodes, pods, type PodTemplateSpec } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import { withoutIdentity } from '../../../simulation/messages/without-identity.ts';
import { createExtendedDaemonSetController } from '../controller.ts';
import { agent, node, template } from '../extended-daemon-set.fixture.ts';

const key = { namespace: 'edge', name: 'agent' };

function worldOf() {
  const world = new FreshWorld();
  const { status: _, ...object } = withoutIdentity(agent('agent:1'));
  world.put(extendedDaemonSets, object);
  for (const name of ['a', 'b']) world.put(nodes, withoutIdentity(node(name)));
  const controller = createExtendedDaemonSetController(world.readers, 'auto', world.findings);
  const names = (): readonly string[] =>
    world.list(extendedDaemonSetReplicaSets).map(({ metadata }) => metadata.name);
  const edit = (name: string, to: PodTemplateSpec): void =>
    world.edit(extendedDaemonSetReplicaSets, { ...key, name }, (each) => ({
      ...each,
      spec: { ...each.spec, template: to },
    }));
  let rewrites = false;
  let made = 0;
  // Asked of every request before it is carried out, as webhooks are.
  world.refuse = (operation) => {
    if (operation.verb !== 'create' || operation.resource.kind !== 'ExtendedDaemonSetReplicaSet')
      return undefined;
    made += 1;
    const { spec } = operation.object as ExtendedDaemonSetReplicaSet;
    const image = `mirror/${spec.template.spec?.containers[0]?.image ?? ''}`;
    if (rewrites) Object.assign(operation.object, { spec: { ...spec, template: template(image) } });
    return undefined;
  };
  const reconcile = (times: number, secondsBetween = 1): void => {
    for (let round = 0; round < times; round += 1) {
      world.reconcile(controller, 'edge/agent');
      // As the garbage collector, which takes the pods' owner off first.
      for (const { status: _, ...found } of world.list(extendedDaemonSetReplicaSets)) {
        const { finalizers: __, ...metadata } = found.metadata;
        if (metadata.deletionTimestamp !== undefined)
          world.edit(extendedDaemonSetReplicaSets, metadata, () => ({ ...found, metadata }));
      }
      for (const { metadata, status } of world.list(pods)) {
        const running = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
        if (status === undefined) world.edit(pods, metadata, (each) => ({ ...each, status: running }));
      }
      world.now += secondsBetween * 1_000;
    }
  };
  const writeImage = (image: string): void =>
    world.edit(extendedDaemonSets, key, (each) => ({
      ...each,
      spec: { ...each.spec, template: template(image) },
    }));
  const ready = () =>
    (world.get(extendedDaemonSets, key).status?.conditions ?? []).find(({ type }) => type === 'Ready');
  const images = (): readonly string[] =>
    world.list(pods).map(({ spec }) => spec?.containers[0]?.image ?? '');
  return {
    names,
    edit,
    reconcile,
    writeImage,
    ready,
    images,
    rewrite: (now: boolean): void => {
      rewrites = now;
    },
    made: (): number => made,
  };
}

describe('replica sets whose template is rewritten when they are made', () => {
  it.each([
    ['from the beginning', []],
    ['when the object runs already', ['agent:1', 'agent:1']],
  ])('are made twice, and then every five minutes, %s', (_, running) => {
    const { names, reconcile, writeImage, rewrite, images, made, ready } = worldOf();
    if (running.length > 0) reconcile(8);
    rewrite(true);
    writeImage('agent:2');
    const before = made();
    reconcile(290);
    expect(made() - before).toBe(2);
    expect(images()).toEqual(running);
    expect(ready()).toMatchObject({ status: 'False', reason: 'ChangedBack' });
    expect(ready()?.message).toContain('Exempt ExtendedDaemonSetReplicaSets from that');
    reconcile(360, 10);
    expect(made() - before).toBe(2 + 12);
    expect(names().length).toBeLessThanOrEqual(3);
    expect(images()).toEqual(running);
  });

  it('are none any more when the webhook is gone, without that anybody deletes one', () => {
    const { names, reconcile, writeImage, rewrite, images, ready } = worldOf();
    reconcile(8);
    rewrite(true);
    writeImage('agent:2');
    reconcile(60);
    rewrite(false);
    reconcile(66, 5);
    reconcile(20);
    expect(images()).toEqual(['agent:2', 'agent:2']);
    expect(ready()?.status).toBe('True');
    expect(names()).toHaveLength(1);
  });

  it('do not hold up another template', () => {
    const { reconcile, writeImage, rewrite, images } = worldOf();
    reconcile(8);
    rewrite(true);
    writeImage('agent:2');
    reconcile(60);
    rewrite(false);
    writeImage('agent:3');
    reconcile(20);
    expect(images()).toEqual(['agent:3', 'agent:3']);
  });
});

it('those that are edited as soon as they are there, as by a controller that rewrites images, are not made without end either', () => {
  const { names, edit, reconcile, writeImage, made, ready } = worldOf();
  reconcile(8);
  const old = names();
  writeImage('agent:2');
  const before = made();
  for (let round = 0; round < 200; round += 1) {
    reconcile(1);
    for (const name of names()) if (!old.includes(name)) edit(name, template('mirror/agent:2'));
  }
  expect(made() - before).toBeLessThanOrEqual(2);
  expect(ready()).toMatchObject({ status: 'False', reason: 'ChangedBack' });
});

it('a person who edits a replica set has another one made at once', () => {
  const { names, edit, reconcile, images, ready } = worldOf();
  reconcile(8);
  const [edited = ''] = names();
  edit(edited, template('evil:1'));
  reconcile(1);
  expect(names()).toHaveLength(2);
  expect(ready()?.reason).not.toBe('ChangedBack');
  reconcile(20);
  expect(images()).toEqual(['agent:1', 'agent:1']);
  expect(ready()?.status).toBe('True');
});

it('a person who edits two, long after they were made, waits for none', () => {
  const { names, edit, reconcile, images } = worldOf();
  reconcile(400);
  for (let edits = 0; edits < 2; edits += 1) {
    for (const name of names()) edit(name, template('evil:1'));
    reconcile(1);
  }
  reconcile(20);
  expect(images()).toEqual(['agent:1', 'agent:1']);
});
