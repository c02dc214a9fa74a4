import { once } from 'node:events';
import { ApiError } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { refusal, runServed, type Answer } from './served.fixture.ts';
import { watchPods } from './watch-pods.ts';
import { enough, initialEnd, isWatch, listOf, rowsOf, streamOf } from './watched.fixture.ts';

const object = {
  metadata: { name: 'agent', namespace: 'edge', uid: 'u', resourceVersion: '1' },
  spec: { template: {}, strategy: { canary: {} } },
  status: { desired: 2, state: 'Canary', activeReplicaSet: 'agent-1', canary: { replicaSet: 'agent-2' } },
};

interface Changes {
  readonly isReady?: boolean;
  readonly metadata?: object;
  readonly status?: object;
}

/** The pod of a node, which has its name. */
function pod(resourceVersion: string, node: string, { isReady = false, metadata, status }: Changes = {}) {
  const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False', reason: 'ContainersNotReady' }];
  return {
    metadata: { name: `agent-${node}`, namespace: 'edge', uid: `pod-${node}`, resourceVersion, ...metadata },
    spec: { nodeName: node, containers: [{ name: 'agent', image: 'agent:2' }] },
    status: { phase: 'Running', conditions, ...status },
  };
}

function node(resourceVersion: string, name: string, status: string) {
  return {
    metadata: { name, uid: `node-${name}`, resourceVersion },
    status: { conditions: [{ type: 'Ready', status }] },
  };
}

const added = (item: object) => ({ type: 'ADDED', object: item });
const modified = (item: object) => ({ type: 'MODIFIED', object: item });
const deleted = (item: object) => ({ type: 'DELETED', object: item });

/** What the server has, and the answers to one watch after the other. */
interface Served {
  readonly pods: readonly object[];
  readonly podWatches?: readonly Answer[];
  readonly nodes?: Answer;
  readonly nodeWatches?: readonly Answer[];
  readonly objectWatch?: Answer;
}

/** The pods are refused when all watches are answered, which ends the command. */
async function watched(
  args: readonly string[],
  { pods, podWatches = [], nodes = listOf(), nodeWatches = [], objectWatch }: Served,
) {
  const left = { pods: [...podWatches], nodes: [...nodeWatches] };
  let objectWatches = 0;
  const objectSeen = Promise.withResolvers<void>();
  const nodesSeen = Promise.withResolvers<void>();
  const never = new Promise<Answer>(() => undefined);
  return runServed([...args, '-w', '-n', 'edge'], async (request) => {
    const kind = /^[^?]*\/(pods|nodes)\?/.exec(`${request.url}?`)?.[1];
    if (kind === undefined) {
      if (!isWatch(request)) return { body: object };
      objectWatches += 1;
      if (objectWatches === 1 && objectWatch !== undefined) return objectWatch;
      objectSeen.resolve();
      return never;
    }
    if (!isWatch(request)) return kind === 'pods' ? listOf(...pods) : nodes;
    const next = left[kind as keyof typeof left].shift();
    // Nobody asks again after a refusal.
    if (kind === 'nodes' && next?.code !== undefined) nodesSeen.resolve();
    if (next !== undefined) return next;
    if (kind === 'nodes') {
      nodesSeen.resolve();
      return never;
    }
    if (nodeWatches.length > 0) await nodesSeen.promise;
    if (objectWatch?.code === undefined && objectWatch !== undefined) await objectSeen.promise;
    return enough;
  });
}

const ofCanary = ['canary', 'pods', 'agent'];
const notReady = ['pods', 'agent', '--select', 'not-ready'];

/** Of each row below the headings the pod, and whether its node is Ready. */
function nodesReadyIn(out: string): readonly (readonly string[])[] {
  return rowsOf(out)
    .slice(1)
    .map((row) => /^(\S+).* (true|false|Unknown) +<unknown>$/.exec(row)?.slice(1) ?? []);
}

describe.each([
  ['canary pods', ofCanary],
  ['pods --select canary', ['pods', 'agent', '--select', 'canary']],
])('a watch of %s', (_, args) => {
  it('is one of these pods only', async () => {
    const { requests, out, err } = await watched(args, { pods: [pod('5', 'a')] });
    const [, listed, ...others] = requests
      .map(({ url = '' }) => new URL(url, 'http://server'))
      .filter(
        ({ pathname, searchParams }) => !pathname.endsWith('/nodes') && !searchParams.get('fieldSelector'),
      );
    const labelSelector = listed?.searchParams.get('labelSelector');
    expect(labelSelector).toMatch(/=agent,.*=agent-2$/);
    expect(others.map(({ pathname, searchParams }) => [pathname, searchParams.get('labelSelector')])).toEqual(
      [['/api/v1/namespaces/edge/pods', labelSelector]],
    );
    expect(rowsOf(out)).toHaveLength(2);
    expect(err).toContain('enough');
  });

  it('prints the table, each pod that changes, and the last state of one that is deleted', async () => {
    const { out } = await watched([...args, '--output-watch-events'], {
      pods: [pod('4', 'b'), pod('5', 'a')],
      podWatches: [
        streamOf(
          added(pod('5', 'a')),
          added(pod('4', 'b')),
          initialEnd,
          modified(pod('7', 'a', { isReady: true })),
          deleted(pod('8', 'b', { status: { phase: 'Failed', reason: 'Evicted' } })),
          added(pod('9', 'c')),
        ),
      ],
    });
    expect(rowsOf(out).map((row) => row.split(/ +/).slice(0, 2))).toEqual([
      ['EVENT', 'POD'],
      ['ADDED', 'agent-a'],
      ['ADDED', 'agent-b'],
      ['MODIFIED', 'agent-a'],
      ['DELETED', 'agent-b'],
      ['ADDED', 'agent-c'],
    ]);
    expect(rowsOf(out)[4]).toContain('Evicted');
  });

  it('prints no pod that changed in nothing that is printed', async () => {
    const beat = { metadata: { annotations: { beat: '1' } } };
    const podWatches = [streamOf(added(pod('5', 'a')), initialEnd, modified(pod('7', 'a', beat)))];
    const { out } = await watched(args, { pods: [pod('5', 'a')], podWatches });
    expect(rowsOf(out)).toHaveLength(2);
    const addressed = [
      streamOf(added(pod('5', 'a')), initialEnd, modified(pod('7', 'a', { status: { podIP: '10.0.0.7' } }))),
    ];
    const wide = await watched([...args, '-o', 'wide'], { pods: [pod('5', 'a')], podWatches: addressed });
    expect(rowsOf(wide.out)).toHaveLength(3);
    expect(wide.out).toContain('10.0.0.7');
  });

  it('goes on after the end of a watch and a version that is gone, and sees what was deleted meanwhile', async () => {
    const gone = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' };
    const { out } = await watched([...args, '--output-watch-events'], {
      pods: [pod('5', 'a'), pod('4', 'b')],
      podWatches: [
        streamOf(added(pod('5', 'a')), added(pod('4', 'b')), initialEnd),
        streamOf({ type: 'ERROR', object: gone }),
        streamOf(added(pod('9', 'a', { isReady: true })), initialEnd),
      ],
    });
    const events = rowsOf(out).map((row) => row.split(/ +/).slice(0, 2));
    expect(events.slice(3)).toHaveLength(2);
    expect(events).toContainEqual(['DELETED', 'agent-b']);
    expect(events).toContainEqual(['MODIFIED', 'agent-a']);
  });
});

describe('the end of a canary whose pods are watched', () => {
  const withStatus = (resourceVersion: string, status: object) =>
    modified({ ...object, metadata: { ...object.metadata, resourceVersion }, status });
  const canary = { replicaSet: 'agent-3' };

  it.each([
    ['is promoted', { activeReplicaSet: 'agent-2' }, 'the canary agent-2 is promoted. Its pods on all nodes'],
    ['fails', { activeReplicaSet: 'agent-1' }, 'the canary agent-2 has ended.\n'],
    [
      'is another one',
      { canary },
      'the canary is agent-3 now. What is printed are the pods of agent-2 still',
    ],
  ])('is noted where it %s', async (_, status, text) => {
    const objectWatch = streamOf(
      withStatus('2', { ...object.status, state: 'Canary Paused' }),
      withStatus('3', status),
    );
    const { out, err } = await watched(ofCanary, { pods: [pod('5', 'a')], objectWatch });
    expect(err.match(/ExtendedDaemonSet agent: /g)).toHaveLength(1);
    expect(err).toContain(`ExtendedDaemonSet agent: ${text}`);
    expect(rowsOf(out)).toHaveLength(2);
  });

  it('is not noted for somebody who may not watch the object', async () => {
    const objectWatch = refusal(403, 'Forbidden', 'no object');
    const podWatches = [streamOf(added(pod('5', 'a')), initialEnd)];
    const { out, err } = await watched(ofCanary, { pods: [pod('5', 'a')], podWatches, objectWatch });
    expect(rowsOf(out)).toHaveLength(2);
    expect(err).toContain('error: watch pods in edge: enough\n');
    expect(err).not.toMatch(/no object|ExtendedDaemonSet/);
  });
});

describe('a watch of pods that are not ready', () => {
  it('prints a pod that becomes ready once more, and again when it is not', async () => {
    const { out } = await watched([...notReady, '--output-watch-events'], {
      pods: [pod('5', 'a'), pod('4', 'b', { isReady: true })],
      podWatches: [
        streamOf(
          added(pod('5', 'a')),
          added(pod('4', 'b', { isReady: true })),
          initialEnd,
          modified(pod('7', 'a', { isReady: true })),
          modified(pod('8', 'a', { isReady: true, metadata: { annotations: { beat: '1' } } })),
          modified(pod('9', 'b')),
        ),
      ],
    });
    expect(rowsOf(out).map((row) => /^(\S+) +(\S+).*?(ContainersNotReady)?/.exec(row)?.slice(1, 3))).toEqual([
      ['EVENT', 'POD'],
      ['ADDED', 'agent-a'],
      ['DELETED', 'agent-a'],
      ['ADDED', 'agent-b'],
    ]);
    expect(rowsOf(out).map((row) => row.includes('ContainersNotReady'))).toEqual([false, true, false, true]);
  });

  it('prints nothing of a pod that was ready all the time, also when it is deleted', async () => {
    const ready = pod('5', 'a', { isReady: true });
    const podWatches = [streamOf(added(ready), initialEnd, deleted({ ...pod('7', 'a', { isReady: true }) }))];
    const { out, err } = await watched(notReady, { pods: [ready], podWatches });
    expect(out).toBe('');
    expect(err).toContain('All pods that are there are ready. Nodes without a pod: 1 of 2.');
  });

  it('has headings above what comes first where all were ready', async () => {
    const podWatches = [streamOf(initialEnd, added(pod('7', 'a')), added(pod('8', 'b')))];
    const { out } = await watched(notReady, { pods: [], podWatches });
    expect(rowsOf(out).map((row) => row.split(/ +/, 1)[0])).toEqual(['POD', 'agent-a', 'agent-b']);
  });
});

describe('the nodes of a watch of pods', () => {
  const still = [streamOf(added(pod('5', 'a')), added(pod('5', 'b')), initialEnd)];
  const pods = [pod('5', 'a'), pod('5', 'b')];
  const nodes = listOf(node('3', 'a', 'True'), node('4', 'b', 'True'));

  it('print their pods again where they become Ready or cease to be, or are deleted', async () => {
    const nodeWatches = [
      streamOf(
        added(node('3', 'a', 'True')),
        added(node('4', 'b', 'True')),
        initialEnd,
        modified(node('7', 'a', 'Unknown')),
        modified(node('8', 'b', 'True')),
        deleted(node('9', 'b', 'True')),
      ),
    ];
    const { out } = await watched(ofCanary, { pods, podWatches: still, nodes, nodeWatches });
    expect(nodesReadyIn(out)).toEqual([
      ['agent-a', 'true'],
      ['agent-b', 'true'],
      ['agent-a', 'false'],
      ['agent-b', 'Unknown'],
    ]);
  });

  it('are those that have the name now, where one was deleted and made again before the watch began', async () => {
    const again = { ...node('7', 'a', 'False'), metadata: { ...node('7', 'a', '').metadata, uid: 'later' } };
    const nodeWatches = [streamOf(added(again), added(node('4', 'b', 'True')), initialEnd)];
    const { out } = await watched(ofCanary, { pods, podWatches: still, nodes, nodeWatches });
    expect(nodesReadyIn(out).slice(2)).toEqual([['agent-a', 'false']]);
  });

  it('are not known to somebody who may not read them, who sees the pods all the same', async () => {
    const refused = refusal(403, 'Forbidden', 'no nodes');
    const podWatches = [streamOf(initialEnd, added(pod('7', 'a')))];
    const ran = await watched(ofCanary, { pods: [], podWatches, nodes: refused });
    expect(nodesReadyIn(ran.out)).toEqual([['agent-a', 'Unknown']]);
    expect(ran.err).not.toContain('no nodes');
  });

  it('are not known any more to somebody who may list them, and not watch', async () => {
    const nodeWatches = [refusal(403, 'Forbidden', 'no watch')];
    const { requests, out, err } = await watched(ofCanary, {
      pods: pods.slice(0, 1),
      nodes,
      nodeWatches,
      podWatches: [streamOf(added(pod('5', 'a')), initialEnd)],
    });
    expect(requests.filter(({ url = '' }) => url.includes('/nodes'))).toHaveLength(2);
    expect([nodesReadyIn(out), err]).toEqual([
      [['agent-a', 'true']],
      expect.not.stringContaining('no watch'),
    ]);
  });

  it.each(['name', 'json', 'yaml'])('are not asked for with -o %s', async (format) => {
    const { requests } = await watched([...ofCanary, '-o', format], { pods, podWatches: still });
    expect(requests.filter(({ url = '' }) => url.includes('/nodes'))).toEqual([]);
  });
});

describe('a watch of pods in a format', () => {
  const pods = [pod('5', 'a')];
  const podWatches = [
    streamOf(
      added(pod('5', 'a')),
      initialEnd,
      modified(pod('7', 'a', { metadata: { annotations: { beat: '1' } } })),
      deleted(pod('8', 'a')),
    ),
  ];

  it('is of single pods as JSON and YAML, and of no List', async () => {
    const { out } = await watched([...ofCanary, '-o', 'json'], { pods, podWatches });
    expect(out).not.toContain('"List"');
    expect(out.match(/^ {4}"apiVersion": "v1",\n {4}"kind": "Pod"/gm)).toHaveLength(3);
    const events = await watched([...ofCanary, '-o', 'json', '--output-watch-events'], { pods, podWatches });
    expect(events.out.match(/(?<=^ {4}"type": ")[A-Z]+/gm)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    const yaml = await watched([...ofCanary, '-o', 'yaml'], { pods, podWatches });
    expect(yaml.out.split('---\n')).toHaveLength(3);
  });

  it('keeps managedFields only where they are asked for', async () => {
    const managed = pod('7', 'a', { metadata: { managedFields: [{ manager: 'kubelet' }] } });
    const changes = { pods, podWatches: [streamOf(added(pod('5', 'a')), initialEnd, modified(managed))] };
    const shown = await watched([...ofCanary, '-o', 'json', '--show-managed-fields'], changes);
    expect(shown.out).toContain('"kubelet"');
    expect((await watched([...ofCanary, '-o', 'json'], changes)).out).not.toContain('managedFields');
  });

  it('prints the name where the line of the table would change', async () => {
    const { out } = await watched([...ofCanary, '-o', 'name'], { pods, podWatches });
    expect(rowsOf(out)).toEqual(['pod/agent-a', 'pod/agent-a']);
  });
});

it('leaves no watch of nodes open where the pods are refused', async () => {
  const refused = async (): Promise<never> => {
    const error = {
      fate: 'refused',
      code: 403,
      reason: 'Forbidden',
      attempted: 'watch pods',
      message: 'no',
    } as const;
    throw new ApiError({ ...error, status: { kind: 'Status', code: 403 } });
  };
  const of = {
    client: { watch: refused, raw: refused },
    namespace: 'edge',
    labelSelector: '',
    managedFields: false,
  };
  const isOver = Promise.withResolvers<void>();
  const readyNodes: Parameters<typeof watchPods>[3]['readyNodes'] = {
    of: () => undefined,
    follow: async ({ signal }) => {
      await once(signal, 'abort');
      isOver.resolve();
    },
  };
  const ignored = { changed: () => undefined, failed: () => undefined, signal: new AbortController().signal };
  const selection = { isSelected: () => true, printedOf: () => '' };
  await expect(watchPods(of, selection, { all: [], selected: [] }, { readyNodes }, ignored)).rejects.toThrow(
    'no',
  );
  await isOver.promise;
});

it('--output-watch-events is for watches of pods, too', async () => {
  const { code, err, requests } = await runServed([...ofCanary, '--output-watch-events'], () => listOf());
  expect([code, requests]).toEqual([2, []]);
  expect(err).toContain('--output-watch-events is for --watch');
});
