import { ApiError, silentLogger, sleep, type DeleteOptions, type Pod, type Stored } from '@atoll/kube';
import { FakeClock } from '@atoll/kube/testing';
import { describe, expect, it } from 'vitest';
import { needs, upgradablePod } from '../pods/pod.fixture.ts';
import type { AgentState } from '../pods/state-file.ts';
import { StateSaver } from '../pods/state-saver.ts';
import type { OtaContext } from './ota-context.ts';
import { UpgradeLog } from './upgrade-log.ts';
import type { UpgradeRecord } from './upgrade-record.ts';
import { upgradeStatus } from './upgrade-status.ts';
import { refuseUpgrade, upgradePod } from './upgrade-pod.ts';

const image = (status: string, message = 'controllerrevision: new') => [
  needs('True'),
  { type: 'PodImageReady', status, message },
];
const owner = (kind: string) => [{ apiVersion: 'x/v1', kind, name: 'o', uid: 'u' }];

describe('refuseUpgrade', () => {
  const cases: readonly (readonly [string, Stored<Pod>, number | undefined, RegExp])[] = [
    ['a pod that needs an upgrade', upgradablePod(), undefined, /^$/],
    [
      'a pod that is being deleted',
      upgradablePod({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }),
      403,
      /^Pre check update pod failed, .*deleted/,
    ],
    [
      'a pod of another node',
      upgradablePod({ nodeName: 'node-2' }),
      403,
      /^Pre check update pod failed, .*node-2/,
    ],
    [
      'a pod that is current',
      upgradablePod({ conditions: [needs('False')] }),
      403,
      /^Pre check update pod failed, .*is False/,
    ],
    [
      'a pod without the condition',
      upgradablePod({ conditions: [] }),
      403,
      /^Pre check update pod failed, .*absent/,
    ],
    [
      'an image that is not pulled yet',
      upgradablePod({ conditions: image('False') }),
      403,
      /^Pre check update pod failed, condition PodImageReady of pod .* is False: .* revision new were asked for, .* image-pre-pull/,
    ],
    [
      'an image of an older revision',
      upgradablePod({ conditions: image('True', 'controllerrevision: old') }),
      403,
      /^Pre check update pod failed, .*revision old, .* to new\. Ask for its images again \(imagepull\)$/,
    ],
    ['an image that is ready', upgradablePod({ conditions: image('True') }), undefined, /^$/],
    [
      'an image that could not be pulled',
      upgradablePod({
        conditions: [
          needs('True'),
          { type: 'PodImageReady', status: 'False', reason: 'PullImageFail', message: 'not found' },
        ],
      }),
      403,
      /^Pre check update pod failed, .*not found/,
    ],
    [
      'a condition of the same type that is of another controller, as for a readiness gate',
      upgradablePod({ conditions: image('False', 'image signatures are not verified') }),
      undefined,
      /^$/,
    ],
    [
      'a condition of another controller whose message only begins as that about a pull',
      upgradablePod({ conditions: image('False', 'controllerrevision: new is not signed') }),
      undefined,
      /^$/,
    ],
    [
      'a pod without owner',
      upgradablePod({ metadata: { ownerReferences: [] } }),
      400,
      /^Pod has no owner references$/,
    ],
    [
      'a pod of a ReplicaSet',
      upgradablePod({ metadata: { ownerReferences: owner('ReplicaSet') } }),
      400,
      /^Not support ota upgrade pod type ReplicaSet$/,
    ],
    [
      'a static pod of this node',
      upgradablePod({ metadata: { name: 'proxy-node-1', ownerReferences: owner('Node') } }),
      403,
      /^Configmap for static pod does not exist$/,
    ],
    [
      'a static pod whose name is not that of one',
      upgradablePod({ metadata: { name: 'proxy', ownerReferences: owner('Node') } }),
      500,
      /^Static pod pre-check failed$/,
    ],
  ];
  it.each(cases)('%s', (_, pod, code, body) => {
    const answer = refuseUpgrade(pod, 'node-1');
    expect(answer?.code).toBe(code);
    expect(answer?.body ?? '').toMatch(body);
  });
});

describe('upgradePod', () => {
  const noSpace = (): Error =>
    Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  const name = { namespace: 'edge', name: 'agent-x1' };
  const failure = (reason: string, code: number, fate: ApiError['fate'] = 'refused') =>
    new ApiError({
      fate,
      code,
      reason,
      message: 'pods "agent-x1" not found',
      attempted: 'get pods',
    });

  function world(pod: Stored<Pod> | ApiError, deletion?: ApiError, compatStatusCodes = false) {
    const deleted: (string | undefined)[] = [];
    const upgrades = new UpgradeLog();
    const saved: (readonly UpgradeRecord[])[] = [];
    const disk: { failure: Error | undefined } = { failure: undefined };
    const client = {
      get: async () => (pod instanceof ApiError ? Promise.reject(pod) : pod),
      delete: async (_: unknown, __: unknown, options?: DeleteOptions) => {
        deleted.push(options?.uid);
        return deletion === undefined ? undefined : Promise.reject(deletion);
      },
    } as unknown as OtaContext['client'];
    const context: OtaContext = {
      nodeName: 'node-1',
      client,
      compatStatusCodes,
      upgrades,
      save: async () => {
        if (disk.failure !== undefined) return { file: '/var/lib/agent/state', error: disk.failure };
        saved.push(upgrades.list());
        return undefined;
      },
      changed: () => undefined,
      reached: () => undefined,
      clock: new FakeClock(),
      logger: silentLogger,
    };
    return { context, deleted, upgrades, saved, disk };
  }

  it('deletes the uid that it has read, and records it before and after', async () => {
    const { context, deleted, upgrades, saved } = world(upgradablePod());
    expect(await upgradePod(context, name)).toMatchObject({
      code: 200,
      body: 'Start updating pod edge/agent-x1',
    });
    expect(deleted).toEqual(['uid-1']);
    expect(upgrades.get('edge', 'agent-x1')).toMatchObject({ uid: 'uid-1', owner: 'ds-1' });
    expect(saved).toMatchObject([[{ isConfirmed: false }], [{ isConfirmed: true }]]);
  });

  it.each([
    ['ENOSPC', 'Make room on that disk, then ask again'],
    ['EDQUOT', 'Make room on that disk, then ask again'],
    ['EACCES', 'Make sure that the agent can write there, then ask again'],
    ['EROFS', 'Make sure that the agent can write there, then ask again'],
    [undefined, 'Make sure that the agent can write there, then ask again'],
  ])('says what helps where the upgrade cannot be recorded: %s', async (code, advice) => {
    const { context, disk } = world(upgradablePod());
    disk.failure = Object.assign(new Error('why'), { code });
    expect((await upgradePod(context, name)).body).toBe(
      `Pod edge/agent-x1 is not upgraded: the upgrade cannot be recorded in /var/lib/agent/state: why. ${advice}`,
    );
  });

  it('deletes nothing where the upgrade cannot be recorded, and keeps what was recorded before', async () => {
    const { context, deleted, upgrades, disk } = world(upgradablePod());
    disk.failure = noSpace();
    expect(await upgradePod(context, name)).toMatchObject({
      code: 503,
      body:
        'Pod edge/agent-x1 is not upgraded: the upgrade cannot be recorded in /var/lib/agent/state: ' +
        'ENOSPC: no space left on device, write. Make room on that disk, then ask again',
    });
    expect(deleted).toEqual([]);
    expect(upgrades.list()).toEqual([]);
    disk.failure = undefined;
    await upgradePod(context, name);
    const recorded = upgrades.list();
    disk.failure = noSpace();
    await upgradePod(context, name);
    expect(upgrades.list()).toEqual(recorded);
    expect(deleted).toEqual(['uid-1']);
  });

  it.each([
    ['Timeout', 0, false, 503, 'OTA upgrade is not allowed when node is disconnected to cloud'],
    ['NetworkError', 0, false, 503, 'OTA upgrade is not allowed when node is disconnected to cloud'],
    ['NotFound', 404, false, 404, 'Pod edge/agent-x1 does not exist'],
    ['NotFound', 404, true, 500, 'Get pod failed, get pods: pods "agent-x1" not found'],
    ['Forbidden', 403, false, 500, 'Get pod failed, get pods: pods "agent-x1" not found'],
  ])('deletes nothing where the pod cannot be read: %s', async (reason, code, compat, expected, body) => {
    const { context, deleted } = world(failure(reason, code), undefined, compat);
    expect(await upgradePod(context, name)).toMatchObject({ code: expected, body });
    expect(deleted).toEqual([]);
  });

  it.each([undefined, ''])('deletes nothing where the pod that is read has no uid: %s', async (uid) => {
    const { context, deleted, upgrades } = world(upgradablePod({ metadata: { uid } as object }));
    expect(await upgradePod(context, name)).toMatchObject({
      code: 500,
      body: 'Get pod failed, the pod has no uid',
    });
    expect(deleted).toEqual([]);
    expect(upgrades.list()).toEqual([]);
  });

  it('records nothing where the deletion is refused, and a doubt where it is not answered', async () => {
    const refused = world(upgradablePod(), failure('Conflict', 409));
    const because = 'get pods: pods "agent-x1" not found';
    const answer = { code: 500, body: `Apply update failed, ${because}` };
    expect(await upgradePod(refused.context, name)).toMatchObject(answer);
    expect(refused.upgrades.list()).toEqual([]);
    const silent = world(upgradablePod(), failure('Timeout', 0, 'in-doubt'));
    expect(await upgradePod(silent.context, name)).toMatchObject(answer);
    const asYurthub = world(upgradablePod(), failure('Conflict', 409), true);
    expect((await upgradePod(asYurthub.context, name)).body).toBe('Apply update failed');
    expect(silent.upgrades.list()).toMatchObject([{ uid: 'uid-1', isConfirmed: false }]);
  });

  describe('that is not done leaves no record in the file', () => {
    /** As in the agent: a file that is written at most every ten seconds, and at once where an upgrade is to be recorded. */
    function withFile(deletion?: ApiError) {
      const { context, deleted, upgrades } = world(upgradablePod(), deletion);
      const clock = new FakeClock();
      const disk = { content: [] as readonly UpgradeRecord[], answers: Promise.resolve() };
      const write = async (state: AgentState): Promise<void> => {
        await disk.answers;
        disk.content = state.upgrades;
      };
      const saver = new StateSaver({
        file: { path: '/var/lib/agent/state', write },
        state: () => ({ nodeName: 'node-1', pods: [], upgrades: upgrades.list() }),
        clock,
        logger: silentLogger,
        wrote: () => undefined,
      });
      const save: OtaContext['save'] = async () => {
        saver.changed();
        const late = sleep(clock, 2_000).then(() => new Error('late'));
        const error = await Promise.race([saver.flush(), late]);
        return error === undefined ? undefined : { file: '/var/lib/agent/state', error };
      };
      const changed = (): void => saver.changed();
      return { context: { ...context, clock, save, changed }, clock, disk, deleted };
    }

    it('where the deletion is refused', async () => {
      const { context, clock, disk } = withFile(failure('Forbidden', 403));
      expect(await upgradePod(context, name)).toMatchObject({ code: 500 });
      expect(disk.content).toHaveLength(1);
      await clock.advance(10_000);
      expect(disk.content).toEqual([]);
    });

    it('where the disk takes it too late', async () => {
      const { context, clock, disk, deleted } = withFile();
      const { promise, resolve } = Promise.withResolvers<void>();
      disk.answers = promise;
      const answer = upgradePod(context, name);
      await clock.advance(2_000);
      expect(await answer).toMatchObject({ code: 503 });
      resolve();
      await clock.advance(10_000);
      expect(disk.content).toEqual([]);
      expect(deleted).toEqual([]);
    });
  });

  describe('that is asked for twice', () => {
    /** The pod is still read after it was deleted; a second deletion finds it gone. */
    function twice(first: ApiError | undefined) {
      const { context, upgrades } = world(upgradablePod());
      let deletions = 0;
      const deleteOnce = async (): Promise<undefined> => {
        deletions += 1;
        if (deletions > 1) throw failure('NotFound', 404);
        if (first !== undefined) throw first;
        return undefined;
      };
      const client = { ...context.client, delete: deleteOnce } as unknown as OtaContext['client'];
      const status = () => upgradeStatus(upgrades.get('edge', 'agent-x1'), [], true);
      return { context: { ...context, client }, status };
    }

    it('at the same moment is deleted once, for which both get the answer', async () => {
      const { context, status } = twice(undefined);
      const answers = await Promise.all([upgradePod(context, name), upgradePod(context, name)]);
      expect(answers.map(({ code }) => code)).toEqual([200, 200]);
      expect(status()).toMatchObject({ state: 'waiting', oldUID: 'uid-1' });
    });

    it('at the same moment leaves no record where the deletion is refused', async () => {
      const { context, deleted, upgrades } = world(upgradablePod(), failure('Forbidden', 403));
      const answers = await Promise.all([upgradePod(context, name), upgradePod(context, name)]);
      expect(answers.map(({ code }) => code)).toEqual([500, 500]);
      expect(upgrades.list()).toEqual([]);
      expect(deleted).toEqual(['uid-1']);
      expect(await upgradePod(context, name)).toMatchObject({ code: 500 });
      expect(deleted).toEqual(['uid-1', 'uid-1']);
    });

    it('because the answer was lost keeps the record too', async () => {
      const { context, status } = twice(failure('NetworkError', 0, 'in-doubt'));
      expect(await upgradePod(context, name)).toMatchObject({ code: 500 });
      expect(await upgradePod(context, name)).toMatchObject({ code: 404 });
      expect(status()).toMatchObject({ state: 'waiting', oldUID: 'uid-1' });
    });
  });
});
