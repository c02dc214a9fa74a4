// The commands and the operator together: what a command writes is obeyed, and what it prints is what happens.
import { execFile } from 'node:child_process';
import {
  extendedDaemonSetAnnotations,
  extendedDaemonSetLabels,
  extendedDaemonSets,
  type ExtendedDaemonSetStatus,
} from '@atoll/api';
import { pods, type StreamingClient } from '@atoll/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { programFile } from '../../../scripts/build/program-file.ts';
import type { ProgramName } from '../../../scripts/build/programs.ts';
import {
  withoutElection,
  type OperatorControlPlane,
} from '../../operator/integration/set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../../operator/integration/set-up/shared-operator-control-plane.ts';

const [namespace, name] = ['default', 'agent'];
const key = { namespace, name };
const nodeCount = 4;
let world: OperatorControlPlane;
let client: StreamingClient;

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(program: ProgramName, args: readonly string[], variables: object = {}): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>();
  const script = programFile(program);
  const env = { ...process.env, KUBECONFIG: world.controlPlane.kubeconfig, ...variables };
  const child = execFile(process.execPath, [script, ...args, '-n', namespace], { env }, (_, out, err) =>
    resolve({ code: child.exitCode ?? -1, out, err }),
  );
  return promise;
}

const eds = async (...args: readonly string[]): Promise<Ended> => run('kubectl-eds', args);

/** All pods must be up to date: ten may be missing otherwise. */
const check = async (minutes: string): Promise<Ended> =>
  run('check-eds', ['upgrade', name], {
    CHECK_INTERVAL_SECONDS: '0.1',
    CHECK_TIMEOUT_MINUTES: minutes,
    NODE_COMPLETION_PCT: '100',
    NODE_COMPLETION_MIN: '1',
  });
const checkNow = async (): Promise<Ended> => check('0.005');

async function patch(body: object): Promise<void> {
  await client.patch(extendedDaemonSets, key, { type: 'merge', body });
}

async function setImage(image: string): Promise<void> {
  await patch({ spec: { template: { spec: { containers: [{ name: 'agent', image }] } } } });
}

async function images(): Promise<readonly string[]> {
  const labelSelector = `${extendedDaemonSetLabels.name}=${name}`;
  const { items } = await client.list(pods, { namespace, labelSelector });
  const live = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return live.map(({ spec }) => spec?.containers[0]?.image ?? '').sort();
}

async function statusOf(): Promise<ExtendedDaemonSetStatus | undefined> {
  return (await client.get(extendedDaemonSets, key)).status;
}

async function untilState(state: string): Promise<ExtendedDaemonSetStatus> {
  await expect.poll(statusOf).toMatchObject({ state });
  return (await statusOf()) as ExtendedDaemonSetStatus;
}

async function untilAll(image: string): Promise<void> {
  await expect.poll(images).toEqual(Array<string>(nodeCount).fill(image));
  await expect.poll(statusOf).toMatchObject({ state: 'Running', ready: nodeCount, upToDate: nodeCount });
}

/** The cells of its line in `get`, from DESIRED on. */
async function shown(): Promise<readonly string[]> {
  const { out } = await eds('get', name);
  return (out.split('\n')[1] ?? '').split(/ {2,}/).slice(2);
}

beforeAll(async () => {
  world = await sharedOperatorControlPlane({ fleet: { pools: ['a'], nodesPerPool: nodeCount } });
  ({ client } = world);
  await world.controlPlane.nodesReady();
  await world.start({ args: [...withoutElection, '--controllers=extended-daemon-set'] });
  const slowStart = { slowStartIntervalDuration: '1ms', slowStartAdditiveIncrease: 250 };
  await client.create(extendedDaemonSets, {
    metadata: key,
    spec: {
      strategy: {
        reconcileFrequency: '100ms',
        rollingUpdate: { maxUnavailable: 1, ...slowStart },
        canary: { replicas: 1, validationMode: 'manual' },
      },
      template: { spec: { containers: [{ name: 'agent', image: 'agent:1' }] } },
    },
  });
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

it('check-eds waits for the first rollout, and ends with 0', async () => {
  const { code, out } = await check('2');
  expect(code).toBe(0);
  expect(out).toMatch(/4 of 4 pods of agent are up to date\n$/);
  await untilAll('agent:1');
});

describe('a canary', () => {
  it('is shown with its pods, and check-eds waits for it', async () => {
    await setImage('agent:2');
    const { canary, activeReplicaSet } = await untilState('Canary');
    const tried = canary?.replicaSet ?? '';
    await expect.poll(images).toEqual(['agent:1', 'agent:1', 'agent:1', 'agent:2']);
    await expect.poll(shown).toEqual(expect.arrayContaining(['Canary', activeReplicaSet, tried]));
    const [, line = '', ...more] = (await eds('canary', 'pods', name)).out.trim().split('\n');
    expect(more).toEqual([]);
    expect(line).toContain(canary?.nodes?.[0]);
    expect((await eds('pods', name, '--select', 'canary')).out).toContain(line.split(' ')[0]);
    await expect
      .poll(async () => (await eds('pods', name, '--select', 'not-ready')).err)
      .toBe('All pods are ready.\n');
    expect((await eds('diff', name)).out).toMatch(/^\+.*image: agent:2$/m);
    expect(await checkNow()).toMatchObject({
      code: 1,
      err: expect.stringContaining(`the canary ${tried} of agent is under way (Canary)`) as string,
    });
  });

  it('is paused, goes on, and is promoted', async () => {
    expect((await eds('canary', 'pause', name)).out).toMatch(/ is paused\. /);
    await untilState('Canary Paused');
    await expect.poll(shown).toEqual(expect.arrayContaining(['Canary Paused', 'Unknown']));
    expect((await checkNow()).err).toContain('is under way (Canary Paused)');
    expect((await eds('canary', 'pause', name)).out).toContain('is paused already');
    expect((await eds('canary', 'unpause', name)).out).toContain('goes on');
    await untilState('Canary');
    expect((await eds('freeze-rollout', name)).code).toBe(1);
    const { canary } = (await statusOf()) ?? {};
    expect((await eds('canary', 'validate', name)).out).toContain('it becomes the active replica set');
    await untilAll('agent:2');
    expect(await statusOf()).toMatchObject({ activeReplicaSet: canary?.replicaSet });
    expect(await checkNow()).toMatchObject({ code: 0, out: '4 of 4 pods of agent are up to date\n' });
    expect(await eds('canary', 'validate', name)).toMatchObject({
      code: 1,
      err: 'error: ExtendedDaemonSet agent has no canary now\n',
    });
  });

  it('fails, its nodes and the template go back, and check-eds fails', async () => {
    await setImage('agent:3');
    const { canary, activeReplicaSet } = await untilState('Canary');
    await expect.poll(images).toContain('agent:3');
    expect(await eds('canary', 'fail', name)).toMatchObject({
      code: 0,
      out: `ExtendedDaemonSet agent: the canary ${canary?.replicaSet} has failed; its nodes go back to the active replica set ${activeReplicaSet}, and the template in the spec becomes that one's.\n`,
    });
    await untilAll('agent:2');
    const { spec } = await client.get(extendedDaemonSets, key);
    expect(spec.template.spec?.containers[0]?.image).toBe('agent:2');
    await expect.poll(checkNow).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^error: the canary of agent failed at 2/) as string,
    });
    expect((await eds('canary', 'fail', name)).err).toContain('has no canary now');
  });

  it('fails and leaves the template where the annotation asks for it', async () => {
    await patch({ metadata: { annotations: { [extendedDaemonSetAnnotations.onCanaryFailure]: 'Hold' } } });
    await setImage('agent:4');
    await untilState('Canary');
    expect((await eds('canary', 'fail', name)).out).toContain('The template in the spec stays');
    await untilState('Canary Failed');
    await expect.poll(images).toEqual(Array<string>(nodeCount).fill('agent:2'));
    const { spec } = await client.get(extendedDaemonSets, key);
    expect(spec.template.spec?.containers[0]?.image).toBe('agent:4');
    await expect.poll(shown).toContain('Canary Failed');
  });
});

describe('a rolling update', () => {
  it('is paused and frozen, and goes on when neither is asked for', async () => {
    // The template that failed is still in the spec, and would be rolled out without a canary.
    await setImage('agent:2');
    await untilAll('agent:2');
    await patch({ spec: { strategy: { canary: null } } });
    expect((await eds('pause-rolling-update', name)).out).toContain('outdated pods stay');
    await setImage('agent:5');
    await untilState('RollingUpdate Paused');
    await expect.poll(shown).toContain('RollingUpdate Paused');
    await expect.poll(checkNow).toMatchObject({
      code: 1,
      err: 'error: agent is RollingUpdate Paused, not Running\n',
    });
    expect((await eds('freeze-rollout', name)).out).toContain(
      'the rollout is frozen: no pod is deleted and none is made.',
    );
    await untilState('Rollout frozen');
    expect((await checkNow()).err).toBe('error: agent is Rollout frozen, not Running\n');
    expect((await eds('unpause-rolling-update', name)).out).toBe(
      'ExtendedDaemonSet agent: nothing goes on yet: the rollout is frozen: no pod is deleted and none is made. It goes on with: kubectl eds unfreeze-rollout agent -n default\n',
    );
    await untilState('Rollout frozen');
    expect(await images()).toEqual(Array<string>(nodeCount).fill('agent:2'));
    expect((await eds('unfreeze-rollout', name)).out).toBe('ExtendedDaemonSet agent: the rollout goes on.\n');
    await untilAll('agent:5');
  });

  it('is waited for by check-eds until it is complete', async () => {
    // One node after the other, so that it is not over before check-eds has begun.
    await patch({ spec: { strategy: { reconcileFrequency: '2s' } } });
    await setImage('agent:6');
    const { code, out } = await check('2');
    expect(code).toBe(0);
    expect(await images()).toEqual(Array<string>(nodeCount).fill('agent:6'));
    expect(out).toMatch(/[0-3] of 4 pods of agent are up to date\n4 of 4 pods of agent are up to date\n$/);
  });
});
