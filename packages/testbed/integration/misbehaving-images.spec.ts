import {
  namespaces,
  pods,
  serviceAccounts,
  type ContainerStatus,
  type Pod,
  type StreamingClient,
} from '@atoll/kube';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { connect } from './connect.ts';

const namespace = 'misbehaving-images';
const patience = { timeout: 90_000, interval: 50 };

describe('a simulated pod', () => {
  let client: StreamingClient;
  beforeAll(async () => {
    client = await connect(inject('kubeconfig'));
    await client.create(namespaces, { metadata: { name: namespace } });
    await vi.waitFor(async () => client.get(serviceAccounts, { namespace, name: 'default' }), patience);
  });
  afterAll(async () => {
    await client.delete(namespaces, { name: namespace });
    await client.close();
  });

  async function create(name: string, image: string, spec: Partial<Pod['spec']> = {}): Promise<void> {
    const containers = [{ name: 'main', image }];
    await client.create(pods, { metadata: { namespace, name }, spec: { ...spec, containers } });
  }

  /** Waits until the pod is as wanted, and yields it. */
  async function seen(name: string, wanted: (state: PodState) => boolean): Promise<PodState> {
    return vi.waitFor(async () => {
      const state = stateOf(await client.get(pods, { namespace, name }));
      if (!wanted(state)) throw new Error(`${name} is ${JSON.stringify(state)}`);
      return state;
    }, patience);
  }

  async function setImage(name: string, image: string): Promise<void> {
    const body = { spec: { containers: [{ name: 'main', image }] } };
    await client.patch(pods, { namespace, name }, { type: 'strategic', body });
  }

  it('becomes ready, and shows which image runs', async () => {
    await create('good', 'registry.example/web:v1');
    const { main } = await seen('good', ({ ready }) => ready === 'True');
    expect(main?.image).toBe('registry.example/web:v1');
    expect(main?.imageID).toMatch(/^registry\.example\/web@sha256:[0-9a-f]{64}$/);
  });

  it('follows an image that changes in place', async () => {
    await create('in-place', 'registry.example/web:v1');
    const before = await seen('in-place', ({ ready }) => ready === 'True');
    await setImage('in-place', 'registry.example/web:v2');
    const after = await seen(
      'in-place',
      ({ ready, main }) => ready === 'True' && main?.image.endsWith(':v2') === true,
    );
    expect(after.main?.restartCount).toBe(1);
    expect(after.main?.imageID).not.toBe(before.main?.imageID);
    expect(after.uid).toBe(before.uid);
  });

  it('never becomes ready with :bad-never-ready, until the image is repaired', async () => {
    await create('never', 'web:bad-never-ready');
    const { phase, ready } = await seen('never', ({ main }) => main?.state?.running !== undefined);
    expect({ phase, ready }).toEqual({ phase: 'Running', ready: 'False' });
    await setImage('never', 'web:v2');
    await seen('never', (state) => state.ready === 'True');
  });

  it('becomes ready late with :late-ready', async () => {
    await create('late', 'web:late-ready');
    const { started } = await seen('late', ({ main }) => main?.state?.running !== undefined);
    const { readySince } = await seen('late', ({ ready }) => ready === 'True');
    expect(Date.parse(readySince) - Date.parse(started)).toBeGreaterThanOrEqual(4000);
  });

  it('turns ready and unready again and again with :flapping', async () => {
    await create('flapping', 'web:flapping');
    await seen('flapping', ({ ready }) => ready === 'True');
    await seen('flapping', ({ ready }) => ready === 'False');
    const { main } = await seen('flapping', ({ ready }) => ready === 'True');
    expect(main?.restartCount).toBe(0);
  });

  it('stays Pending in ImagePullBackOff with :bad-pull', async () => {
    await create('pull', 'web:bad-pull-v7');
    const { phase, ready } = await seen('pull', ({ waiting }) => waiting === 'ImagePullBackOff');
    expect({ phase, ready }).toEqual({ phase: 'Pending', ready: 'False' });
  });

  it('restarts more and more often, ever later, with :bad-crash', async () => {
    await create('crash', 'web:bad-crash');
    const first = await seen('crash', ({ waiting }) => waiting === 'CrashLoopBackOff');
    expect(first.phase).toBe('Running');
    const later = await seen('crash', ({ main }) => (main?.restartCount ?? 0) >= 3);
    expect(later.main?.lastState?.terminated).toMatchObject({ exitCode: 1, reason: 'Error' });
  });

  it('waits for its readiness gates', async () => {
    const conditionType = 'example.com/gate';
    await create('gated', 'web:v1', { readinessGates: [{ conditionType }] });
    const state = await seen('gated', ({ containersReady }) => containersReady === 'True');
    expect(state.ready).toBe('False');
    const body = { status: { conditions: [{ type: conditionType, status: 'True' }] } };
    await client.patch(
      pods,
      { namespace, name: 'gated' },
      { type: 'strategic', body },
      { subresource: 'status' },
    );
    await seen('gated', ({ ready }) => ready === 'True');
  });
});

interface PodState {
  readonly uid: string;
  readonly phase: string | undefined;
  readonly ready: string | undefined;
  readonly readySince: string;
  readonly containersReady: string | undefined;
  readonly started: string;
  readonly waiting: string | undefined;
  readonly main: ContainerStatus | undefined;
}

function stateOf({ metadata, status }: Pod): PodState {
  const conditions = new Map(status?.conditions?.map((condition) => [condition.type, condition]));
  const main = status?.containerStatuses?.find((container) => container.name === 'main');
  return {
    uid: metadata.uid ?? '',
    phase: status?.phase,
    ready: conditions.get('Ready')?.status,
    readySince: conditions.get('Ready')?.lastTransitionTime ?? '',
    containersReady: conditions.get('ContainersReady')?.status,
    started: status?.startTime ?? '',
    waiting: main?.state?.waiting?.reason,
    main,
  };
}
