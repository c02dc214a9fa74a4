import type { IncomingMessage } from 'node:http';
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { runKubectlEds } from './kubectl-eds.ts';
import { refusal, runServed } from './served.fixture.ts';

const prefix = 'extendeddaemonset.datadoghq.com';

function object(annotations: Readonly<Record<string, string>> = {}, name = 'agent') {
  const stamp = { uid: name, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
  return {
    metadata: { name, namespace: 'ns', ...stamp, annotations },
    spec: { strategy: { canary: {} }, template: {} },
    status: { activeReplicaSet: 'agent-1', canary: { replicaSet: 'agent-2', nodes: ['a'] } },
  };
}

const isList = ({ url = '' }: IncomingMessage): boolean => /extendeddaemonsets(\?|$)/.test(url);
const listOf = (...items: readonly object[]) => ({
  apiVersion: 'v1',
  kind: 'List',
  metadata: { resourceVersion: '5' },
  items,
});

const run = async (...args: readonly string[]) =>
  runServed(args, (request) => ({
    body: isList(request) ? listOf(object(), object({}, 'other')) : object(),
  }));

describe('flags are read as kubectl reads them', () => {
  it('--as-group takes one value, and what follows is the name', async () => {
    const { code, out, err, requests } = await run('get', '--as', 'u', '--as-group', 'ops', 'agent');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).not.toContain('other');
    expect(requests[0]?.headers['impersonate-group']).toBe('ops');
  });

  it('-n=foo is the namespace foo', async () => {
    expect((await run('get', '-n=foo')).requests[0]?.url).toContain('/namespaces/foo/');
  });

  it('an empty namespace, as of a variable that is not set, is that of the context', async () => {
    expect((await run('get', '-n', '')).requests[0]?.url).toContain('/namespaces/default/');
  });

  it.each([
    'context',
    'cluster',
    'user',
    'kubeconfig',
    'certificate-authority',
    'client-key',
    'request-timeout',
  ])('an empty --%s is none', async (flag) => {
    expect(await run('get', `--${flag}=`)).toMatchObject({ code: 0, err: '' });
  });

  it('an empty --as is nobody, and an empty --token is not sent', async () => {
    const { code, requests } = await run('get', '--as=', '--token=', '--tls-server-name=');
    expect(code).toBe(0);
    expect(Object.keys(requests[0]?.headers ?? {})).not.toContain('authorization');
    expect(Object.keys(requests[0]?.headers ?? {})).not.toContain('impersonate-user');
  });

  it.each(
    [
      ['-n', 'foo', 'get', 'agent'],
      ['-nfoo', 'get', 'agent'],
      ['--namespace=foo', 'get', 'agent'],
      ['--insecure-skip-tls-verify', '-n=foo', 'get', 'agent'],
      ['get', '-n', 'foo', 'agent'],
      ['-n', 'foo', 'canary', 'validate', 'agent'],
      ['canary', '-n', 'foo', 'validate', 'agent'],
      ['--as', 'canary', 'canary', '--namespace', 'foo', 'pause', 'agent'],
    ].map((line) => [line]),
  )('flags may stand before the command: %j', async (line) => {
    const { code, err, requests } = await run(...line);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(requests[0]?.url).toContain('/namespaces/foo/');
  });

  it.each<[readonly string[], string]>([
    [['--wrong', 'get'], "unknown option '--wrong'"],
    [['-o', 'json', 'canary', 'validate', 'agent'], "unknown option '-o'"],
    [['-n', 'foo', 'gte'], "unknown command 'gte'"],
    [['get', '-Aw=maybe'], 'error: invalid argument "maybe" for "-w, --watch". Allowed is true or false.'],
    [['--insecure-skip-tls-verify=2', 'get'], 'invalid argument "2" for "--insecure-skip-tls-verify"'],
    [['-n', 'foo', '--', 'canary', 'validate', 'agent'], "unknown option '-n'"],
  ])('%j is refused: %s', async (line, refusal) => {
    const { code, err } = await run(...line);
    expect(code).toBe(2);
    expect(err).toContain(refusal);
  });

  it.each([[['-n', 'foo', 'canary']], [['--as', 'u', '-A', '-n', 'get']], [['canary', '-n', 'foo']]])(
    '%j names no command, and shows what there is as without flags',
    async (line) => {
      const { code, err, requests } = await run(...line);
      expect(requests).toEqual([]);
      expect(code).toBe(2);
      expect(err).toContain('Usage: kubectl-eds');
    },
  );

  it('the version is shown wherever it is asked for', async () => {
    for (const line of [
      ['-n', 'foo', '--version'],
      ['-V'],
      ['--version', 'get'],
      ['canary', '-n', 'foo', '-V'],
    ])
      expect(await run(...line)).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/^\d+\./) });
  });

  it('a number without a unit is seconds for --request-timeout', async () => {
    expect(await run('get', '--request-timeout', '5')).toMatchObject({ code: 0, err: '' });
    const { code, err } = await run('get', '--request-timeout', 'soon');
    expect(code).toBe(2);
    expect(err).toContain('--request-timeout is "soon". Allowed is a number of seconds, a duration like');
  });

  it.each(['-o=json', '--all-namespaces=true', '--watch=false', '--insecure-skip-tls-verify=true'])(
    '%s',
    async (flag) => {
      expect(await run('get', flag)).toMatchObject({ code: 0, err: '' });
    },
  );

  it.each<[string, string]>([
    ['-An=foo', '/v1alpha1/extendeddaemonsets'],
    ['-A=F -n=foo', '/namespaces/foo/'],
    ['--all-namespaces=True', '/v1alpha1/extendeddaemonsets'],
    ['-A=1', '/v1alpha1/extendeddaemonsets'],
    ['-A --all-namespaces=FALSE', '/namespaces/default/'],
    ['-A=0 -A', '/v1alpha1/extendeddaemonsets'],
    ['-wA=f --watch=false -nfoo=bar', '/namespaces/foo%3Dbar/'],
    ['--token -A -n foo', '/namespaces/foo/'],
  ])('get %s', async (flags, path) => {
    const { code, err, requests } = await run('get', ...flags.split(' '));
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(requests[0]?.url).toContain(path);
  });

  it('the namespace of combined flags is the one that stands behind the sign', async () => {
    expect((await run('get', '-wn=foo', '--watch=F')).requests[0]?.url).toContain('/namespaces/foo/');
  });

  it('a switch that is given no truth value is refused', async () => {
    for (const flag of ['-w=maybe', '--watch=maybe', '--watch=']) {
      const { code, err, requests } = await run('get', flag);
      expect([code, requests]).toEqual([2, []]);
      expect(err).toMatch(
        /^error: invalid argument "(maybe)?" for "-w, --watch"\. Allowed is true or false\. /,
      );
    }
  });

  it.each(
    [
      ['help', 'canary', 'pause'],
      ['-n', 'foo', 'help', 'canary', 'pause'],
      ['canary', 'help', '-n=foo', 'pause'],
      ['help', 'canary', 'pause', 'agent', '-n', 'foo'],
    ].map((line) => [line]),
  )('%j shows the help of the command', async (line) => {
    const { code, out, err, requests } = await run(...line);
    expect({ code, err, requests }).toEqual({ code: 0, err: '', requests: [] });
    expect(out).toContain('Usage: kubectl-eds canary pause');
  });

  it('help of a command that there is not is refused', async () => {
    const { code, err } = await run('-n', 'foo', 'help', 'canary', 'puase');
    expect(code).toBe(2);
    expect(err).toContain("unknown command 'puase' (did you mean pause?)");
  });
});

describe('managedFields', () => {
  const managed = {
    ...object(),
    metadata: { ...object().metadata, managedFields: [{ manager: 'atoll', operation: 'Apply' }] },
  };
  const runManaged = async (...args: readonly string[]) =>
    runServed(args, (request) => ({
      body: /(extendeddaemonset\w*|pods)(\?|$)/.test(request.url ?? '') ? listOf(managed) : managed,
    }));

  it.each(
    [
      ['get', '-o', 'yaml'],
      ['get', '-o', 'json'],
      ['get', 'agent', '-o', 'json'],
      ['get-ers', '-o', 'yaml'],
      ['canary', 'pods', 'agent', '-o', 'json'],
    ].map((line) => [line]),
  )('%j: they are hidden as by kubectl, and shown with --show-managed-fields', async (line) => {
    const { code, out } = await runManaged(...line);
    expect(code).toBe(0);
    expect(out).toContain('creationTimestamp');
    expect(out).not.toContain('managedFields');
    expect((await runManaged(...line, '--show-managed-fields')).out).toContain('managedFields');
  });
});

it('a watch shows managedFields where they are asked for', async () => {
  const { metadata, ...rest } = object();
  const managedFields = [{ manager: 'atoll', operation: 'Apply' }];
  const changed = { ...rest, metadata: { ...metadata, resourceVersion: '6', managedFields } };
  const bookmark = {
    metadata: { resourceVersion: '6', annotations: { 'k8s.io/initial-events-end': 'true' } },
  };
  const events = [
    { type: 'ADDED', object: changed },
    { type: 'BOOKMARK', object: bookmark },
  ];
  const watched = async (...flags: readonly string[]) => {
    let watches = 0;
    return runServed(['get', '-w', '-o', 'json', ...flags], ({ url = '' }) => {
      if (!url.includes('watch=')) return { body: listOf() };
      watches += 1;
      if (watches === 1) return { body: events.map((event) => `${JSON.stringify(event)}\n`).join('') };
      return { code: 403, body: { kind: 'Status', code: 403, reason: 'Forbidden', message: 'enough' } };
    });
  };
  const { out } = await watched();
  expect(out).toContain('"resourceVersion": "6"');
  expect(out).not.toContain('managedFields');
  expect((await watched('--show-managed-fields')).out).toContain('managedFields');
});

describe('what is asked for by name is read by name, as with kubectl', () => {
  it.each([
    ['get', 'extendeddaemonsets'],
    ['get-ers', 'extendeddaemonsetreplicasets'],
  ])('%s', async (command, plural) => {
    const { code, out, requests } = await run(command, 'agent', '-n', 'ns');
    expect([code, requests.map(({ url }) => url)]).toEqual([
      0,
      [`/apis/datadoghq.com/v1alpha1/namespaces/ns/${plural}/agent`],
    ]);
    expect(out.trimEnd().split('\n')).toHaveLength(2);
  });

  it('is watched by name, so that who may read one object only can watch it', async () => {
    const { out, requests } = await runServed(['get', 'agent', '-w'], ({ url = '' }) =>
      url.includes('watch=') ? refusal(403, 'Forbidden', 'enough') : { body: object() },
    );
    expect(out).toContain('agent-2');
    const [read, ...watches] = requests.map(({ url = '' }) => new URL(url, 'http://server'));
    expect(read?.pathname).toMatch(/\/extendeddaemonsets\/agent$/);
    expect(watches.map(({ searchParams }) => searchParams.get('fieldSelector'))).toEqual([
      'metadata.name=agent',
    ]);
  });

  it('is not there', async () => {
    const answer = () => refusal(404, 'NotFound', 'not found');
    expect(await runServed(['get-ers', 'agent-1', '-n', 'ns'], answer)).toMatchObject({
      code: 1,
      err: 'error: there is no ExtendedDaemonSetReplicaSet "agent-1" in the namespace ns\n',
    });
  });
});

describe('what is done to a canary is said as it is', () => {
  const withAnnotation = async (annotation: string, value: string, ...args: readonly string[]) =>
    runServed(args, () => ({ body: object({ [`${prefix}/${annotation}`]: value }) }));

  it('one that is validated is not paused', async () => {
    const { code, out, err } = await withAnnotation('canary-valid', 'agent-2', 'canary', 'pause', 'agent');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('becomes the active replica set whatever pauses it');
  });

  it.each([
    ['rolling-update-paused', 'unpause-rolling-update'],
    ['rollout-frozen', 'unfreeze-rollout'],
  ])('one that is validated is not rolled out while there is %s: %s ends that', async (annotation, ends) => {
    const { out } = await withAnnotation(annotation, 'true', 'canary', 'validate', 'agent');
    expect(out).toMatch(
      new RegExp(
        `is validated; .*, and is not rolled out yet: .* goes on with: kubectl eds ${ends} agent -n ns\n$`,
      ),
    );
  });

  it('one that was validated before says what holds its rollout back', async () => {
    const held = {
      [`${prefix}/canary-valid`]: 'agent-2',
      [`${prefix}/rolling-update-paused`]: 'true',
      [`${prefix}/rollout-frozen`]: 'true',
    };
    const { out } = await runServed(['canary', 'validate', 'agent'], () => ({ body: object(held) }));
    expect(out.trimEnd().split('\n')).toEqual([
      expect.stringMatching(
        /is validated already; .* goes on with: kubectl eds unfreeze-rollout agent -n ns$/,
      ),
      expect.stringMatching(/^Besides, .* goes on with: kubectl eds unpause-rolling-update agent -n ns$/),
    ]);
  });
});

describe('while the active replica set is not known', () => {
  const conditions = [
    { type: 'Ready', status: 'False', message: 'each of agent-1, agent-2 may be the active one' },
    { type: 'ActiveReplicaSetUnknown', status: 'True' },
  ];
  const why = 'no pod is made or deleted: each of agent-1, agent-2 may be the active one';
  const unknown = { ...object(), status: { activeReplicaSet: '', conditions } };

  it.each([
    [['unfreeze-rollout'], `nothing to change: nothing goes on yet: ${why}`],
    [['unpause-rolling-update'], `nothing to change: nothing goes on yet: ${why}`],
    [['freeze-rollout'], `unfreeze-rollout agent -n ns\nBesides, ${why}`],
  ])('%j says that nothing goes on', async (command, expected) => {
    const { out } = await runServed([...command, 'agent'], () => ({ body: unknown }));
    expect(out).toContain(expected);
  });
});

it('a rollout that is held back twice is said to be, each with its command at the end of a line', async () => {
  const { status: _hasCanary, ...rest } = object({ [`${prefix}/rolling-update-paused`]: 'true' });
  const { code, out } = await runServed(['freeze-rollout', 'agent'], () => ({ body: rest }));
  expect(code).toBe(0);
  expect(out.trimEnd().split('\n')).toEqual([
    expect.stringMatching(
      /the rollout is frozen: .* It goes on with: kubectl eds unfreeze-rollout agent -n ns$/,
    ),
    expect.stringMatching(/^Besides, .* It goes on with: kubectl eds unpause-rolling-update agent -n ns$/),
  ]);
});

it('pods are in the order of their names, the same in every language', async () => {
  const pods = ['a-2', 'B-1', 'a-1'].map((name) => ({ metadata: { name, namespace: 'ns' } }));
  const { out } = await runServed(['canary', 'pods', 'agent', '-o', 'name'], ({ url = '' }) => ({
    body: url.includes('/pods') ? listOf(...pods) : object(),
  }));
  expect(out).toBe('pod/B-1\npod/a-1\npod/a-2\n');
});

it('a hint that cannot be written changes nothing', async () => {
  const full = new Writable({ write: (_, __, done) => done(new Error('no space left on device')) });
  const listed = await runServed(['get'], () => ({ body: listOf() }), {
    run: async (surroundings) => runKubectlEds({ ...surroundings, stderr: full }),
  });
  expect([listed.code, full.destroyed]).toEqual([0, true]);
});

it('a watch that is refused ends, and says so', async () => {
  const refusal = {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    code: 403,
    reason: 'Forbidden',
    message: 'is forbidden: User "u" cannot watch resource "extendeddaemonsets"',
  };
  const { code, err } = await runServed(['get', '-w'], ({ url = '' }) =>
    url.includes('watch=') ? { code: 403, body: refusal } : { body: listOf() },
  );
  expect(code).toBe(1);
  expect(err).toContain('cannot watch');
});
