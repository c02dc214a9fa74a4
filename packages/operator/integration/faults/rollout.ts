import { labels, type PoolWorkload } from '@atoll/api';
import type { Resource } from '@atoll/kube';
import {
  atMostOneLiveChild,
  checkHistory,
  countWrites,
  deletesCarryUid,
  type RunningOperator,
} from '@atoll/testbed';
import { expect } from 'vitest';
import { apply, childrenOf, daemon, imageOf, setImage } from '../set-up/objects.ts';
import { operatorUser, type OperatorControlPlane } from '../set-up/operator-control-plane.ts';
import type { Way } from '../set-up/proxied-control-plane.ts';
import { conditionsOf } from '../set-up/standing.ts';

const children = 'deployments.apps';
const namespace = 'default';

/** One workload in all pools, and the one operator that rolls it out. */
export interface Rollout {
  readonly world: OperatorControlPlane;
  /** How the operator reaches the API server. */
  readonly way: Way;
  /** Its name among the control plane's components. */
  readonly operator: string;
  /** Which controllers it runs. */
  readonly controllers: string;
  readonly resource: Resource<PoolWorkload>;
  readonly name: string;
  /** All pools, labelled `edge: 'yes'`. */
  readonly pools: readonly string[];
}

export async function startOperator(
  { world, way, operator, controllers }: Rollout,
  args: readonly string[] = [],
): Promise<RunningOperator> {
  const { kubeconfig } = way;
  return world.start({ name: operator, kubeconfig, args: [`--controllers=${controllers}`, ...args] });
}

/** As a person who applies it; the same again where it is there already. */
export async function applyImage({ world, resource, name }: Rollout, image: string): Promise<void> {
  await apply(world.client, resource, daemon({ name, pools: { edge: 'yes' }, replicas: 1, image }));
}

export async function updateTo({ world, resource, name }: Rollout, image: string): Promise<void> {
  await setImage(world.client, resource, name, image);
}

/** Makes the change, and in place of the operator's nth write to a child something else happen. */
export async function interruptAt(
  { way }: Rollout,
  nth: number,
  change: () => Promise<void>,
  interrupt: () => void | Promise<void>,
): Promise<void> {
  const injection = way.proxy.inject(
    { verb: 'write', resource: children, nth },
    { do: 'crash', when: 'before-forwarding', call: interrupt },
  );
  await change();
  await injection.whenTaken(1, 120_000);
}

/** Cuts the operator off at its nth write to a child. */
export async function cutAt(rollout: Rollout, nth: number, change: () => Promise<void>): Promise<void> {
  await interruptAt(rollout, nth, change, () => rollout.way.proxy.cut());
}

export async function countChildren({ world, name }: Rollout): Promise<number> {
  return (await childrenOf(world.client, name)).size;
}

/** Uid and generation of each child, by pool. */
export async function generationsOf({
  world,
  name,
  pools,
}: Rollout): Promise<readonly (readonly [string, number])[]> {
  const found = await childrenOf(world.client, name);
  return pools.map((each) => {
    const { uid = '', generation = 0 } = found.get(each)?.metadata ?? {};
    return [uid, generation];
  });
}

/** Every child has the image, and the workload's conditions report it. A failure shows what the operator wrote last. */
export async function expectStanding(
  { world, operator, resource, name, pools }: Rollout,
  image: string,
  conditions: object = { Ready: { status: 'True' } },
): Promise<void> {
  const standing = await conditionsOf(world.client, resource, name, namespace);
  expect(standing, world.controlPlane.component(operator).lastWords()).toMatchObject(conditions);
  const found = [...(await childrenOf(world.client, name)).values()];
  expect(found.map(imageOf)).toEqual(Array(pools.length).fill(image));
}

/** One creation and one update for each child and image, and never two children for a pool. */
export async function expectNothingDoubled({ world, name, pools }: Rollout, since: number): Promise<void> {
  const ours = { user: operatorUser, resources: [children] };
  await world.recording.waitForQuiescence({ ...ours, quietMs: 1_500 });
  const history = await world.recording.history();
  expect(
    checkHistory(history, [
      atMostOneLiveChild({ resources: [children], place: labels.poolName }),
      deletesCarryUid({ user: operatorUser }),
    ]),
  ).toEqual([]);
  const { byObject } = countWrites(history, { ...ours, since });
  const written = [...byObject].filter(([object]) => object.startsWith(`${children} ${namespace}/${name}-`));
  expect(written.length).toBeGreaterThan(0);
  // A request that the cut took the answer of may have been sent once more.
  expect(written.filter(([, count]) => count > 2)).toEqual([]);
  const created = history.events.filter(
    (event) => event.resource === children && event.type === 'ADDED' && event.name.startsWith(`${name}-`),
  );
  expect(created.length).toBe(pools.length);
}
