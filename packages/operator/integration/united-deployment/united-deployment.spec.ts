// UnitedDeployment on a real control plane: real scheduler, real controllers of Deployments and StatefulSets, nodes and
// kubelets played by kwok, controllers of CloneSet and Advanced StatefulSet simulated by us.
import type { StreamingClient } from '@atoll/kube';
import { checkHistory, deletesCarryUid, noWastedWrites } from '@atoll/testbed';
import { installKruiseKinds, startSimulatedKruise, type SimulatedKruise } from '@atoll/testbed/kruise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  operatorUser,
  restless,
  startOperatorControlPlane,
  withoutElection,
  type OperatorControlPlane,
} from '../set-up/operator-control-plane.ts';
import { rolloutControllers } from '../set-up/rollout-controllers.ts';
import { children } from './children.ts';
import { kruiseKinds, kruiseKindsComeAndGo } from './kruise-kinds.ts';
import { theManual, theManualsUpdates } from './manual.ts';
import { zones, zoneTaint } from './objects.ts';
import { scaling } from './scaling.ts';
import { scheduling } from './scheduling.ts';
import { leaveAsKruise, takingOver } from './taking-over.ts';

/** Beside what a rollout needs, the autoscaler. */
const controllers = [
  ...rolloutControllers,
  'resourcequota-controller',
  'horizontal-pod-autoscaler-controller',
];

let world: OperatorControlPlane;
let simulated: SimulatedKruise;

beforeAll(async () => {
  world = await startOperatorControlPlane({
    fleet: { pools: zones, nodesPerPool: 2, poolTaints: { 'zone-d': [zoneTaint] } },
    controllerManagerFlags: {
      controllers,
      'horizontal-pod-autoscaler-sync-period': '1s',
      'horizontal-pod-autoscaler-downscale-stabilization': '1s',
      'horizontal-pod-autoscaler-initial-readiness-delay': '1s',
      'horizontal-pod-autoscaler-cpu-initialization-period': '1s',
    },
  });
  const { controlPlane } = world;
  for (const zone of zones)
    await controlPlane.labelNodes([`${zone}-node-1`, `${zone}-node-2`], { node: zone });
  await installKruiseKinds(world.client);
  simulated = await startSimulatedKruise({ kubeconfig: controlPlane.kubeconfig });
  await leaveAsKruise(world.client);
  await world.start({ args: withoutElection });
}, 180_000);

afterAll(async () => {
  await simulated?.stop();
  await world?.[Symbol.asyncDispose]();
});

const client = (): StreamingClient => world.client;
const kubeconfig = (): string => world.controlPlane.kubeconfig;

const timeout = { timeout: 200_000 };

describe('UnitedDeployment', timeout, () => {
  takingOver(client);
});
// Counts that move are written the later, the more objects move with them: so those who look at them come first.
describe.concurrent('UnitedDeployment, counted while it moves', timeout, () => {
  theManualsUpdates(client);
  kruiseKinds(client);
});
describe.concurrent('UnitedDeployment', timeout, () => {
  theManual(client);
  children(client, () => world.recording);
  scaling(client, kubeconfig, () => world.recording);
  scheduling(client, () => world.controlPlane);
});
describe('UnitedDeployment', timeout, () => {
  kruiseKindsComeAndGo(client, kubeconfig, () => simulated);
});

describe('in the end', () => {
  it('nothing is written any more, and no write was in vain', async () => {
    const { recording } = world;
    await recording.waitForQuiescence({ user: operatorUser, except: restless, quietMs: 3_000 });
    const history = await recording.history();
    expect(checkHistory(history, [deletesCarryUid({ user: operatorUser })])).toEqual([]);
    // A conflict says that somebody else wrote the same object at that very moment, and 404 that the definition of its kind was away.
    const passing = /→ 409 Conflict$|(?:clonesets|statefulsets)\.apps\.kruise\.io .* → 404 $/;
    const wasted = noWastedWrites({ user: operatorUser, except: restless })(history);
    expect(wasted.filter(({ message }) => !passing.test(message))).toEqual([]);
  });
});
