// Templates are not typed, and the webhook may not be served: a placement that no API server takes is stored.
import { extendedDaemonSets } from '@atoll/api';
import { nodes, pods, type ApiError, type Pod, type PodTemplateSpec } from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import { describe, expect, it } from 'vitest';
import { FreshWorld } from '../../../../simulation/examples/fresh-world.ts';
import { withoutIdentity } from '../../../../simulation/messages/without-identity.ts';
import type { Operation } from '../../../../simulation/model/api-server.ts';
import { readablePlacement } from '../../../children/pods/placement/refused-placement.ts';
import { createExtendedDaemonSetController } from '../../controller.ts';
import { agent, node, template } from '../../extended-daemon-set.fixture.ts';

const key = { namespace: 'edge', name: 'agent' };
const tolerations = [{ key: 'mine', operator: 'Exists' }];
const words = 'Pod is invalid: spec: the placement is malformed';

function withSpec(image: string, more: object): PodTemplateSpec {
  const { metadata, spec } = template(image);
  return { ...(metadata === undefined ? {} : { metadata }), spec: { containers: [], ...spec, ...more } };
}

/** As an API server, which judges pods in dry runs too. */
function refuse(operation: Operation): ApiError | undefined {
  if (operation.verb !== 'create' || operation.resource.kind !== 'Pod') return undefined;
  const { spec } = operation.object as Pod;
  if (spec === undefined || readablePlacement(spec) === spec) return undefined;
  return refusalOf(422, 'create pods', words);
}

function nodeOf({ spec }: Pod): string {
  const [term] =
    spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return term?.matchFields?.[0]?.values?.[0] ?? '';
}

/** A fleet of `agent:1` on the nodes a, b and c, which are labelled, and not on d. */
function worldOf() {
  const world = new FreshWorld();
  world.refuse = refuse;
  const { status: _, ...object } = withoutIdentity(agent('agent:1'));
  const chosen = withSpec('agent:1', {
    nodeSelector: { tier: '1' },
    tolerations,
  });
  world.put(extendedDaemonSets, { ...object, spec: { ...object.spec, template: chosen } });
  const taints = [{ key: 'mine', effect: 'NoExecute' }];
  for (const name of ['a', 'b', 'c'])
    world.put(nodes, withoutIdentity(node(name, { labels: { tier: '1' }, taints })));
  world.put(nodes, withoutIdentity(node('d')));
  const controller = createExtendedDaemonSetController(world.readers, 'auto', world.findings);
  const reconcile = (times: number): void => {
    for (let round = 0; round < times; round += 1) {
      world.reconcile(controller, 'edge/agent');
      // They have no node, so that they are gone as soon as they are deleted.
      for (const { metadata, status } of world.list(pods)) {
        if (status !== undefined) continue;
        const running = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
        world.edit(pods, metadata, (each) => ({ ...each, status: running }));
      }
      world.now += 10_000;
    }
  };
  const write = (written: PodTemplateSpec): void =>
    world.edit(extendedDaemonSets, key, (each) => ({ ...each, spec: { ...each.spec, template: written } }));
  const images = (): readonly string[] =>
    world
      .list(pods)
      .map((pod) => `${nodeOf(pod)}: ${pod.spec?.containers[0]?.image ?? ''}`)
      .sort();
  reconcile(8);
  return { world, reconcile, write, images };
}

const required = (nodeSelectorTerms: unknown): object => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
});
const before = ['a: agent:1', 'b: agent:1', 'c: agent:1'];

describe('a template whose placement no API server takes', () => {
  it.each<readonly [string, object]>([
    ['nodeSelector: {tier: 1}, a number that is not quoted', { nodeSelector: { tier: 1 } }],
    ['nodeSelector: tier, a text', { nodeSelector: 'tier' }],
    ['values: [1]', required([{ matchExpressions: [{ key: 'tier', operator: 'In', values: [1] }] }])],
    ['operator: in', required([{ matchExpressions: [{ key: 'tier', operator: 'in', values: ['1'] }] }])],
    ['nodeSelectorTerms: []', required([])],
    ['nodeSelectorTerms that is missing', required(undefined)],
    [
      'the names of two nodes in matchFields',
      required([{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a', 'b'] }] }]),
    ],
    ['a toleration whose operator is misspelt', { tolerations: [{ key: 'mine', operator: 'exists' }] }],
  ])('ends no pod and makes none, and its words are shown: %s', (_, more) => {
    const { world, reconcile, write, images } = worldOf();
    expect(images()).toEqual(before);
    const uids = world.list(pods).map(({ metadata }) => metadata.uid);
    write(withSpec('agent:2', { tolerations, ...more }));
    reconcile(12);
    expect(images()).toEqual(before);
    expect(world.list(pods).map(({ metadata }) => metadata.uid)).toEqual(uids);
    const { conditions = [] } = world.get(extendedDaemonSets, key).status ?? {};
    const ready = conditions.find(({ type }) => type === 'Ready');
    expect(ready).toMatchObject({ status: 'False', reason: 'ChildRefused' });
    expect(ready?.message).toContain(words);
  });

  it('goes on as it was when it is corrected', () => {
    const { reconcile, write, images } = worldOf();
    write(withSpec('agent:2', { tolerations, nodeSelector: { tier: 1 } }));
    reconcile(6);
    write(withSpec('agent:2', { tolerations, nodeSelector: { tier: '1' } }));
    reconcile(20);
    expect(images()).toEqual(['a: agent:2', 'b: agent:2', 'c: agent:2']);
  });

  it('keeps to the nodes of the fields that are in order', () => {
    const { world, reconcile, write } = worldOf();
    write(
      withSpec('agent:2', {
        nodeSelector: { tier: '1' },
        tolerations: [{ key: 'mine', operator: 'exists' }],
      }),
    );
    reconcile(2);
    expect(world.get(extendedDaemonSets, key).status?.desired).toBe(3);
    // A webhook repairs them.
    world.refuse = () => undefined;
    reconcile(20);
    expect(world.list(pods)).toHaveLength(3);
  });

  it('is none where a pod has another name in place of the fields that are not in order', () => {
    const { reconcile, write, images } = worldOf();
    const labelled = { matchExpressions: [{ key: 'tier', operator: 'In', values: ['1'] }] };
    const named = { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['x', 'y'] }] };
    write(withSpec('agent:2', { tolerations, ...required([labelled, named]) }));
    reconcile(20);
    expect(images()).toEqual(['a: agent:2', 'b: agent:2', 'c: agent:2']);
  });

  it('is another than one that matches no node, whose pods end', () => {
    const { reconcile, write, images } = worldOf();
    write(withSpec('agent:2', required([{}])));
    reconcile(4);
    expect(images()).toEqual([]);
  });
});
