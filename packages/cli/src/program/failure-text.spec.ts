import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { runKubectlEds } from '../eds/kubectl-eds.ts';

const name = 'agent';
const object = {
  metadata: { name, uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { strategy: { canary: {} }, template: {} },
  status: { activeReplicaSet: 'agent-1', canary: { replicaSet: 'agent-2', nodes: ['a'] } },
};

interface Answer {
  readonly code: number;
  readonly body: string;
}

let server: Server | undefined;

afterEach(() => void server?.close());

function refusal(code: number, reason: string, message: string): Answer {
  return {
    code,
    body: JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message }),
  };
}

/** What a command prints and its exit code, at a server that answers writes like this, and reads as well where they are meant. */
async function printed(
  args: readonly string[],
  answer: Answer,
  of: 'writes' | 'all' = 'writes',
): Promise<readonly [number, string]> {
  const listening = Promise.withResolvers<number>();
  server = createServer(({ method }, response) => {
    const { code, body } =
      of === 'writes' && method === 'GET' ? { code: 200, body: JSON.stringify(object) } : answer;
    response.writeHead(code, { 'content-type': 'application/json' }).end(body);
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server?.address();
    listening.resolve(typeof address === 'object' ? (address?.port ?? 0) : 0);
  });
  return printedBy([...args, '--server', `http://127.0.0.1:${await listening.promise}`]);
}

async function printedBy(args: readonly string[]): Promise<readonly [number, string]> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const env = { HOME: '/nobody' };
  const code = await runKubectlEds({ argv: ['node', 'kubectl-eds', ...args], env, stdout, stderr });
  stderr.end();
  return [code, await text(stderr)];
}

const pause = ['canary', 'pause', name];
const forbidden = 'extendeddaemonsets.datadoghq.com "agent" is forbidden: User "u" cannot patch resource';

it.each<[string, readonly string[], Answer, 'writes' | 'all', string]>([
  [
    'an object that is deleted between reading and writing',
    pause,
    refusal(404, 'NotFound', 'extendeddaemonsets.datadoghq.com "agent" not found'),
    'writes',
    'error: patch extendeddaemonsets.datadoghq.com default/agent: extendeddaemonsets.datadoghq.com "agent" not found. It was deleted meanwhile; nothing was changed\n',
  ],
  [
    'a replica set that is deleted between reading and writing',
    ['canary', 'fail', name],
    refusal(404, 'NotFound', 'not found'),
    'writes',
    'error: apply status of extendeddaemonsetreplicasets.datadoghq.com default/agent-2: not found. It was deleted meanwhile; nothing was changed\n',
  ],
  [
    'a missing permission',
    pause,
    refusal(403, 'Forbidden', forbidden),
    'writes',
    `error: patch extendeddaemonsets.datadoghq.com default/agent: ${forbidden}. Ask for this permission, or name a user who has it with --context or --as\n`,
  ],
  [
    'a webhook that refuses',
    pause,
    refusal(403, 'Forbidden', 'admission webhook "x" denied the request: no'),
    'writes',
    'error: patch extendeddaemonsets.datadoghq.com default/agent: admission webhook "x" denied the request: no\n',
  ],
  [
    'an object that does not exist',
    pause,
    refusal(404, 'NotFound', 'not found'),
    'all',
    'error: there is no ExtendedDaemonSet "agent" in the namespace default\n',
  ],
  [
    'a cluster without the kind',
    pause,
    { code: 404, body: '404 page not found\n' },
    'all',
    'error: get extendeddaemonsets.datadoghq.com default/agent: the server answered 404: 404 page not found. This cluster does not have the kind: install its CRD, or name another cluster with --context\n',
  ],
  [
    'credentials that are not accepted',
    ['get'],
    refusal(401, 'Unauthorized', 'Unauthorized'),
    'all',
    'error: list extendeddaemonsets.datadoghq.com in default: Unauthorized. Log in again, or name other credentials with --context or --token\n',
  ],
  [
    'a write of which it is not known whether it was done',
    pause,
    refusal(500, 'InternalError', 'etcdserver: request timed out'),
    'writes',
    'error: patch extendeddaemonsets.datadoghq.com default/agent: etcdserver: request timed out. It is not known whether this was done. Look at the object, and repeat the command: that does no harm\n',
  ],
])('%s ends a command with 1, the reason and what to do', async (_, args, answer, of, message) => {
  expect(await printed(args, answer, of)).toEqual([1, message]);
});

it.each<[readonly string[], number, string]>([
  [['get'], 1, 'error: no kubeconfig: /nobody/.kube/config: no such file; set KUBECONFIG or give a file\n'],
  [['get', '--kubeconfig', '/nowhere'], 1, 'error: /nowhere: no such file\n'],
  [
    ['get', '--server', 'nonsense'],
    2,
    'error: --server is "nonsense". Allowed is a URL like https://10.0.0.1:6443. kubectl-eds get --help shows what is allowed\n',
  ],
  [
    ['get', '--as-group', 'g', '--server', 'http://127.0.0.1:9'],
    2,
    'error: --as-uid and --as-group need --as, the user to act as. kubectl-eds get --help shows what is allowed\n',
  ],
  [
    ['get', '--client-key', 'k', '--server', 'http://127.0.0.1:9'],
    2,
    'error: --client-certificate and --client-key need each other, or a kubeconfig with the other. kubectl-eds get --help shows what is allowed\n',
  ],
  [
    ['get', 'a', 'b'],
    2,
    "error: too many arguments for 'get'. Expected 1 argument but got 2: a, b. kubectl-eds get --help shows what is allowed\n",
  ],
  [['get', '--bogus'], 2, "error: unknown option '--bogus'. kubectl-eds get --help shows what is allowed\n"],
])('%j ends with %i', async (args, code, message) => {
  expect(await printedBy(args)).toEqual([code, message]);
});

describe('a read of which no whole answer came changed nothing, and leaves nothing to look at', () => {
  it.each([['get'], ['get', name], pause])('%s %s %s', async (...args) => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    const cut = createServer((_, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('{"items":[');
      setTimeout(() => response.destroy(), 20);
    }).listen(0, '127.0.0.1');
    await Promise.all([once(silent, 'listening'), once(cut, 'listening')]);
    const printed = async (server: Server, timeout: string) => {
      const { port } = server.address() as AddressInfo;
      return printedBy([...args, '--server', `http://127.0.0.1:${port}`, '--request-timeout', timeout]);
    };
    const [late, broken] = await Promise.all([printed(silent, '1s'), printed(cut, '60s')]);
    for (const each of [silent, cut]) {
      each.close();
      each.closeAllConnections();
    }
    expect(late).toEqual([
      1,
      expect.stringMatching(/: no answer within 1000 ms\. Give it more time with --request-timeout\n$/),
    ]);
    expect(broken).toEqual([1, expect.stringMatching(/ broke: /)]);
    for (const [, message] of [late, broken]) expect(message).not.toContain('not known');
  });
});
