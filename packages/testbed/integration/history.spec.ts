import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import {
  configMaps,
  createClient,
  deployments,
  isApiError,
  leases,
  loadKubeconfig,
  pods,
  replicaSets,
  serviceAccounts,
  type Deployment,
} from '@atoll/kube';
import { waitFor } from '../src/faults/wait-for.ts';
import { atMostOneLiveChild } from '../src/history/checks/at-most-one-live-child.ts';
import { deletesCarryUid } from '../src/history/checks/deletes-carry-uid.ts';
import { noWastedWrites } from '../src/history/checks/no-wasted-writes.ts';
import { silentSince } from '../src/history/checks/silent-since.ts';
import { checkHistory } from '../src/history/checks/violation.ts';
import { countWrites } from '../src/history/checks/count-writes.ts';
import { formatHistory } from '../src/history/format-history.ts';
import type { HistoryEntry } from '../src/history/history.ts';
import { startRecording, type Recording } from '../src/history/recording.ts';
import { startControlPlane } from '../src/control-plane/start-control-plane.ts';
import { lease, openProxiedControlPlane, setHolder } from './proxied-control-plane.ts';
import type { ProxiedControlPlane } from './proxied-control-plane.ts';

const patience = { timeout: 90_000, interval: 50 };

let controlPlane: ProxiedControlPlane;
let recording: Recording;

beforeAll(async () => {
  controlPlane = await openProxiedControlPlane('history');
  recording = await startRecording({
    kubeconfig: inject('kubeconfig'),
    auditLog: inject('auditLog'),
    resources: [pods, deployments, replicaSets, leases, configMaps],
    namespace: controlPlane.namespace,
  });
});

afterAll(async () => {
  await recording.stop();
  await controlPlane[Symbol.asyncDispose]();
});

/** Its owner's kind does not exist, so that the garbage collector cannot find out whether the owner does. */
function web(name: string): Deployment {
  const labels = { app: name };
  return {
    metadata: {
      namespace: controlPlane.namespace,
      name,
      labels: { pool: 'hangzhou' },
      ownerReferences: [
        { apiVersion: 'example.dev/v1', kind: 'Fleet', name: 'fleet', uid: 'fleet-uid', controller: true },
      ],
    },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'web', image: 'registry.example/web:1' }] },
      },
    },
  };
}

function isOfPods(entry: HistoryEntry): boolean {
  return (entry.kind === 'write' ? entry.audit.resource : entry.effect.event.resource) === 'pods';
}

describe('the history of a rollout', () => {
  it('explains every change of what is audited in full, and reads as one line per write', async () => {
    const { proxied, namespace, user } = controlPlane;
    const { metadata: created } = await proxied.create(deployments, web('web'));
    await recording.waitForQuiescence({ user, quietMs: 1_000 });
    await proxied.patch(
      deployments,
      { namespace, name: 'web' },
      { type: 'merge', body: { spec: { replicas: 1 } } },
    );
    await proxied.patch(
      deployments,
      { namespace, name: 'web' },
      { type: 'merge', body: { spec: { replicas: 1 } } },
    );
    await recording.waitForQuiescence({ user, quietMs: 1_000 });
    await proxied.delete(
      deployments,
      { namespace, name: 'web' },
      { uid: created.uid, propagationPolicy: 'Foreground' },
    );
    await waitFor(
      () => recording.events.some(({ type, uid }) => type === 'DELETED' && uid === created.uid),
      'the end',
    );
    const last = await recording.waitForQuiescence({ user });

    // The audit log is written after the answer, and an effect may be read before the write that it is of.
    const history = await vi.waitFor(async () => {
      const read = await recording.history();
      const unexplained = formatHistory(read, {
        where: (entry) => entry.kind === 'unexplained' && entry.effect.event.resource !== 'configmaps',
      });
      const ofPods = formatHistory(read, { where: isOfPods });
      expect(unexplained, `a change that no write explains, among these:\n${ofPods}`).toBe('');
      expect(countWrites(read, { user }).total).toBe(4);
      return read;
    }, patience);
    expect(history.gaps).toEqual([]);

    const mine = formatHistory(history, {
      where: (entry) => entry.kind === 'write' && entry.audit.user === user,
    });
    const lines = mine
      .trimEnd()
      .split('\n')
      .map((line) => line.replaceAll(/ {2,}/g, '  ').replaceAll(namespace, 'ns'));
    expect(lines).toEqual([
      expect.stringMatching(
        /^\d\d:\d\d:\d\d\.\d{3} {2}v\d+ {2}sa:ns:operator \(kube-client\) {2}create {2}deployments\.apps ns\/web {2}201 {2}created [0-9a-f]{8}$/,
      ),
      expect.stringMatching(/patch {2}deployments\.apps ns\/web {2}200 {2}spec\.replicas 2 → 1$/),
      expect.stringMatching(/patch {2}deployments\.apps ns\/web {2}200 {2}unchanged$/),
      expect.stringMatching(
        /delete {2}deployments\.apps ns\/web {2}if uid=[0-9a-f]{8} {2}200 {2}metadata\.deletionTimestamp = .*foregroundDeletion/,
      ),
    ]);

    expect(countWrites(history, { user }).byObject).toEqual(
      new Map([[`deployments.apps ${namespace}/web`, 4]]),
    );
    expect(
      checkHistory(history, [
        deletesCarryUid({ user }),
        silentSince({ user, since: last + 1 }),
        atMostOneLiveChild({ resources: ['deployments.apps'], place: 'pool' }),
      ]),
    ).toEqual([]);
    expect(noWastedWrites({ user })(history)).toMatchObject([{ rule: 'no wasted writes' }]);
  });

  it('shows duplicates, deletions by name, a broken silence and a refusal', async () => {
    const { proxied, namespace, user } = controlPlane;
    const began = Date.now();
    await proxied.create(deployments, web('duplicate-a'));
    await proxied.create(deployments, web('duplicate-b'));
    await proxied.create(deployments, web('duplicate-b')).catch((error: unknown) => {
      if (!isApiError(error, 'AlreadyExists')) throw error;
    });
    await proxied.delete(deployments, { namespace, name: 'duplicate-a' });
    await recording.waitForQuiescence({ user });
    await vi.waitFor(async () => {
      const history = await recording.history();
      const rules = [
        atMostOneLiveChild({ resources: ['deployments.apps'], place: 'pool' }),
        deletesCarryUid({ user }),
        silentSince({ user, since: began }),
        noWastedWrites({ user, since: began }),
      ].map((check) => new Set(check(history).map(({ rule }) => rule)));
      expect(rules).toEqual([
        new Set(['at most one live child']),
        new Set(['deletes carry the uid']),
        new Set(['silence']),
        new Set(['no wasted writes']),
      ]);
    }, patience);
  });
});

describe('quiescence', () => {
  it('is not there while something moves, and names it', async () => {
    const { direct, namespace, user } = controlPlane;
    await direct.create(leases, lease(namespace, 'restless'));
    const moving = new AbortController();
    const move = (async () => {
      for (let change = 0; !moving.signal.aborted; change += 1) {
        await setHolder(direct, namespace, 'restless', String(change));
        // Of somebody else, and not recorded: as on a control plane that several use.
        const others = Array.from({ length: 100 }, (_, index) => ({
          metadata: { namespace, name: `other-${change}-${index}` },
        }));
        await Promise.all(others.map((other) => direct.create(serviceAccounts, other)));
      }
    })();
    const waiting = recording.waitForQuiescence({ user, except: [], deadlineMs: 4_000, quietMs: 3_000 });
    await expect(waiting).rejects.toThrow(/no quiescence within 4000 ms; moved last:\n.*restless/s);
    moving.abort();
    await move;
    expect(await recording.waitForQuiescence({ user, except: [], quietMs: 300 })).toBeGreaterThan(0);
  });
});

it('loses nothing when the API server is killed and comes back', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'atoll-history-'));
  await using own = await startControlPlane({ directory, audit: true, components: [] });
  const client = createClient(await loadKubeconfig({ path: own.kubeconfig }));
  await using around = await startRecording({
    kubeconfig: own.kubeconfig,
    auditLog: own.auditLog ?? '',
    resources: [leases],
    namespace: 'default',
  });
  for (const name of ['a', 'b']) await client.create(leases, lease('default', name));
  await own.component('kube-apiserver').restart();
  for (const name of ['c', 'd']) await client.create(leases, lease('default', name));
  // By now the watch cache may have forgotten where the recorder was; the audit log proves that nothing is missing.
  await waitFor(() => around.events.some(({ name }) => name === 'd'), 'the recorder to be back');
  await client.delete(leases, { namespace: 'default', name: 'a' });
  await around.waitForQuiescence({ user: 'administrator', except: [], quietMs: 500 });
  await vi.waitFor(async () => {
    const history = await around.history();
    expect(history.gaps).toEqual([]);
    expect(
      history.entries.flatMap((entry) =>
        entry.kind === 'write' && entry.audit.user === 'administrator'
          ? entry.effects.map(({ event }) => `${event.type} ${event.name}`)
          : [],
      ),
    ).toEqual(['ADDED a', 'ADDED b', 'ADDED c', 'ADDED d', 'DELETED a']);
  }, patience);
  await client.close();
  await rm(directory, { recursive: true, force: true });
});
