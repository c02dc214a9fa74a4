import { silentLogger, type Pod, type Stored } from '@atoll/kube';
import { FakeClock } from '@atoll/kube/testing';
import { describe, expect, it } from 'vitest';
import type { OtaContext } from '../ota/ota-context.ts';
import { UpgradeLog } from '../ota/upgrade-log.ts';
import type { PodStore } from '../pods/pod-store.ts';
import { upgradablePod } from '../pods/pod.fixture.ts';
import { agentRoutes } from './agent-routes.ts';
import type { Answer } from './answer.ts';

const failed = { code: 500, body: 'Get pod list failed' };
const asked = new UpgradeLog([
  {
    namespace: 'edge',
    pod: 'agent-x1',
    uid: 'uid-1',
    owner: 'ds-1',
    since: '2026-01-01T00:00:00Z',
    isConfirmed: true,
  },
]);

/** What `GET …/pods/agent-x1/upgrade` answers. */
async function shown(
  list: readonly Stored<Pod>[] | undefined,
  isListed: boolean,
  upgrades = new UpgradeLog(),
): Promise<Answer> {
  const store = { list: () => list, isListed, onChange: () => () => undefined } as unknown as PodStore;
  const context = { upgrades, clock: new FakeClock(), logger: silentLogger } as unknown as OtaContext;
  const routes = agentRoutes(store, context, {
    metrics: async () => '',
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
  });
  const route = routes.find(({ method, path }) => method === 'GET' && path.endsWith('/upgrade'));
  const answer = await route?.handle({
    caller: 'anyone',
    parameters: { ns: 'edge', pod: 'agent-x1' },
    query: new URLSearchParams(),
    request: { headers: {} },
    response: {},
  } as never);
  if (answer === undefined) throw new Error('it has answered by itself');
  return answer;
}

describe('how far the upgrade of a pod is', () => {
  const older = upgradablePod({ metadata: { name: 'agent-w0', uid: 'uid-0' } });

  it.each<[string, readonly Stored<Pod>[] | undefined]>([
    ['there is no file', undefined],
    ['the file does not have the pod, which may be younger', [older]],
  ])('is not known before the first list where nothing was asked for and %s', async (_, kept) => {
    expect(await shown(kept, false)).toMatchObject(failed);
  });

  it('is none where nothing was asked for and the file has the pod', async () => {
    expect(JSON.parse((await shown([upgradablePod()], false)).body)).toEqual({ state: 'none' });
  });

  it('of a pod that was to be upgraded is deleting before the first list where there are no pods in the file', async () => {
    expect(JSON.parse((await shown(undefined, false, asked)).body)).toMatchObject({ state: 'deleting' });
  });

  it('of a pod that is in no list is 404', async () => {
    expect(await shown([], true)).toMatchObject({ code: 404 });
  });

  it('of a pod that is gone is waiting', async () => {
    expect(JSON.parse((await shown([], true, asked)).body)).toMatchObject({ state: 'waiting' });
  });
});
