import { describe, expect, it } from 'vitest';
import { refusal, runServed } from './served.fixture.ts';

/** Sets the title of a terminal, colours, clears it by an 8-bit sequence, and begins a line. */
const hostile = 'a\u001b]0;x\u0007\u001b[31m\u009b2J\r\nb';
const spelt = String.raw`a\u001b]0;x\u0007\u001b[31m\u009b2J\r\nb`;

const stamp = { namespace: 'ns', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
const template = { spec: { containers: [{ name: 'c', image: hostile }] } };
const counts = { desired: 1, current: 1, ready: 1, upToDate: 1, available: 1, ignoredUnresponsiveNodes: 0 };
const object = {
  metadata: { ...stamp, name: 'agent' },
  spec: { strategy: { canary: {} }, template },
  status: {
    ...counts,
    state: hostile,
    reason: hostile,
    activeReplicaSet: 'agent-1',
    canary: { replicaSet: 'agent-2' },
  },
};
const pod = {
  metadata: { ...stamp, name: 'p' },
  spec: { containers: [{ name: 'c', image: hostile }], nodeName: 'n' },
  status: { phase: 'Pending', reason: hostile },
};

const run = async (...args: readonly string[]) =>
  runServed(args, ({ url = '' }) => {
    const [path = ''] = url.split('?');
    const listOf = (...items: readonly object[]) => ({ body: { metadata: { resourceVersion: '5' }, items } });
    if (path.endsWith('/nodes')) return listOf();
    if (path.endsWith('/pods')) return listOf(pod);
    return /extendeddaemonset\w*$/.test(path) ? listOf(object) : { body: object };
  });

// oxlint-disable-next-line no-control-regex -- what a terminal would obey
const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

describe('what others wrote is printed, and no terminal obeys it', () => {
  it.each(
    [
      ['get', '-o', 'wide'],
      ['get-ers', '-o', 'wide'],
      ['pods', 'agent', '--select', 'not-ready', '-o', 'wide'],
    ].map((line) => [line]),
  )('%j: each object has one line of the table', async (line) => {
    const { code, out } = await run(...line);
    expect(code).toBe(0);
    expect(out).toContain(spelt);
    expect(out).not.toMatch(obeyed);
    expect(out.trimEnd().split('\n')).toHaveLength(2);
  });

  it.each(
    [
      ['get', '-o', 'json'],
      ['get', '-o', 'yaml'],
      ['diff', 'agent'],
    ].map((line) => [line]),
  )('%j', async (line) => {
    expect((await run(...line)).out).not.toMatch(obeyed);
  });

  it('JSON says the same', async () => {
    const { out } = await run('get', 'agent', '-o', 'json');
    expect(JSON.parse(out)).toMatchObject({ status: { state: hostile } });
  });

  it('a refusal of a webhook keeps its lines', async () => {
    const { err } = await runServed(['get'], () => refusal(403, 'Forbidden', 'denied:\n\u001b[2Jno'));
    expect(err).toContain('denied:\n\\u001b[2Jno');
    expect(err).not.toMatch(obeyed);
  });
});

describe('values that no request can carry are refused before one is sent', () => {
  it.each<[readonly string[], string]>([
    [
      ['canary', 'pause', 'agent/status'],
      "'agent/status' is invalid for argument 'eds'. Allowed is the name of",
    ],
    [['canary', 'pause', 'eds/agent'], "'eds/agent' is invalid for argument 'eds'. Allowed is the name of"],
    [['freeze-rollout', ''], "'' is invalid for argument 'eds'. Allowed is the name of one object"],
    [['get', '..'], "'..' is invalid for argument 'name'. Allowed is the name of one object"],
    [
      ['get', '-n', 'a/b'],
      "'-n, --namespace <name>' argument 'a/b' is invalid. Allowed is the name of a namespace",
    ],
    [['get', '--token', 'secret\n'], 'error: --token has a character that no request can carry'],
    [['get', '--as', 'a\u001b'], 'error: --as has a character that no request can carry'],
    [
      ['get', '--as', 'a', '--as-group', 'b\n'],
      'error: --as-group has a character that no request can carry',
    ],
    [['get', '--request-timeout=-5s'], 'error: --request-timeout is "-5s". Allowed is'],
  ])('%j', async (line, refused) => {
    const { code, err, requests } = await run(...line);
    expect([code, requests]).toEqual([2, []]);
    expect(err).toContain(refused);
    expect(err).not.toContain('secret');
  });
});
