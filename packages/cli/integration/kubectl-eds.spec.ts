// The commands as processes against a real API server; the status is what a controller would write.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { extendedDaemonSetReplicaSets, extendedDaemonSets } from '@atoll/api';
import { install } from '@atoll/api/install';
import { createClient, loadKubeconfig, namespaces, pods } from '@atoll/kube';
import type { StreamingClient } from '@atoll/kube';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { programFile } from '../../../scripts/build/program-file.ts';
import type { ProgramName } from '../../../scripts/build/programs.ts';

const kubeconfig = inject('kubeconfig');
const namespace = 'eds-commands';
const [active, canary] = ['agent-old', 'agent-new'];
let client: StreamingClient;

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(
  program: ProgramName,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>();
  const script = programFile(program);
  const options = { env: { ...process.env, KUBECONFIG: kubeconfig, ...env } };
  const child = execFile(process.execPath, [script, ...args], options, (_, out, err) =>
    resolve({ code: child.exitCode ?? -1, out, err }),
  );
  return promise;
}

async function eds(...args: readonly string[]): Promise<Ended> {
  return run(
    'kubectl-eds',
    ['-n', '--namespace'].some((flag) => args.includes(flag)) ? args : [...args, '-n', namespace],
  );
}

/** A command that goes on until it is interrupted, and what it has printed so far. */
function begun(...args: readonly string[]) {
  const connection = ['-n', namespace, '--kubeconfig', kubeconfig];
  let text = '';
  const child = execFile(process.execPath, [programFile('kubectl-eds'), ...args, ...connection]);
  child.stdout?.on('data', (more: string) => (text += more));
  return { child, out: (): string => text };
}

async function annotations(): Promise<Readonly<Record<string, string>>> {
  const { metadata } = await client.get(extendedDaemonSets, { namespace, name: 'agent' });
  const found = Object.entries(metadata.annotations ?? {});
  return Object.fromEntries(found.map(([key, value]) => [key.replace(/^.*\//, ''), value]));
}

async function setStatus(change: object): Promise<void> {
  const status = {
    activeReplicaSet: active,
    desired: 3,
    current: 3,
    ready: 3,
    available: 2,
    upToDate: 3,
    ignoredUnresponsiveNodes: 1,
    state: 'Running',
    canary: null,
    ...change,
  };
  const patch = { type: 'merge', body: { status } } as const;
  await client.patch(extendedDaemonSets, { namespace, name: 'agent' }, patch, { subresource: 'status' });
}

const trying = { state: 'Canary', canary: { replicaSet: canary, nodes: ['n1'] } };

beforeAll(async () => {
  client = createClient(await loadKubeconfig({ path: kubeconfig }), { userAgent: 'spec' });
  await install(client);
  await client.create(namespaces, { metadata: { name: namespace } });
  const template = (image: string) => ({ spec: { containers: [{ name: 'agent', image }] } });
  const strategy = { canary: {} };
  await client.create(extendedDaemonSets, {
    metadata: { namespace, name: 'agent' },
    spec: { strategy, template: template('agent:2') },
  });
  for (const [name, image] of [
    [active, 'agent:1'],
    [canary, 'agent:2'],
  ] as const) {
    await client.create(extendedDaemonSetReplicaSets, {
      metadata: { namespace, name },
      spec: { template: template(image) },
    });
    const status = {
      status: name === active ? 'active' : 'canary',
      desired: 5,
      current: 4,
      ready: 3,
      available: 2,
      ignoredUnresponsiveNodes: 1,
      conditions: [],
    };
    const patch = { type: 'merge', body: { status } } as const;
    await client.patch(extendedDaemonSetReplicaSets, { namespace, name }, patch, { subresource: 'status' });
  }
  await setStatus({});
});

afterAll(async () => {
  await client?.close();
});

describe('kubectl eds', () => {
  it('lists objects and replica sets, in every format', async () => {
    const listed = await eds('get');
    expect(listed).toMatchObject({ code: 0, err: '' });
    const [heading = '', line = ''] = listed.out.split('\n');
    expect(heading).toMatch(
      /^NAMESPACE +NAME +DESIRED .*IGNORED UNRESPONSIVE NODES +STATUS +REASON +ACTIVE RS +CANARY RS +AGE$/,
    );
    expect(line.split(/ {2,}/).slice(0, 9)).toEqual([
      namespace,
      'agent',
      '3',
      '3',
      '3',
      '3',
      '2',
      '1',
      'Running',
    ]);
    expect(JSON.parse((await eds('get', 'agent', '-o', 'json')).out)).toMatchObject({
      kind: 'ExtendedDaemonSet',
      metadata: { name: 'agent' },
    });
    expect((await eds('get', '-o', 'yaml')).out).toMatch(/^apiVersion: v1\nkind: List/);
    expect((await eds('get', '-o', 'name')).out).toBe('extendeddaemonset.datadoghq.com/agent\n');
    expect((await run('kubectl-eds', ['get', '-A', '-o', 'wide'])).out).toContain('CANARY NODES');
    // As with kubectl, all namespaces are more than one.
    expect(await eds('get', '-A', '-n', 'nowhere')).toMatchObject({
      code: 0,
      out: expect.stringContaining('agent') as string,
    });
    expect(await eds('get', '-n', 'nowhere')).toEqual({
      code: 0,
      out: '',
      err: 'No resources found in nowhere namespace.\n',
    });
    const unused = ['--cache-dir', '/tmp', '--disable-compression', '--request-timeout', '0'];
    expect(await eds('get', 'agent', '-o', 'name', ...unused)).toMatchObject({
      code: 0,
      out: 'extendeddaemonset.datadoghq.com/agent\n',
    });
    const sets = (await eds('get-ers')).out.trimEnd().split('\n');
    expect(sets[0]).toMatch(
      /^NAMESPACE +NAME +DESIRED +CURRENT +READY +AVAILABLE +IGNORED UNRESPONSIVE NODES +STATUS +AGE$/,
    );
    expect(sets.slice(1).map((each) => each.split(/ {2,}/).slice(0, -1))).toEqual([
      [namespace, canary, '5', '4', '3', '2', '1', 'canary'],
      [namespace, active, '5', '4', '3', '2', '1', 'active'],
    ]);
    expect((await eds('get-ers', active, '-o', 'wide')).out).toMatch(/NODE SELECTOR +IMAGES\n.*agent:1\n$/);
  });

  it.each<[string, readonly string[], number, RegExp]>([
    [
      'an object that is not there',
      ['get', 'other'],
      1,
      /^error: there is no ExtendedDaemonSet "other" in the namespace eds-commands\n$/,
    ],
    ['a name and all namespaces', ['get', 'agent', '-A'], 2, /exclude each other/],
    [
      'a user without rights',
      ['get', '--as', 'nobody'],
      1,
      /^error: list extendeddaemonsets.*is forbidden: User "nobody".*Ask for this permission, or name a user who has it with --context or --as\n$/,
    ],
    [
      'a user who may not decide',
      ['pause-rolling-update', 'agent', '--as', 'nobody'],
      1,
      /^error: get extendeddaemonsets.*is forbidden: User "nobody"/,
    ],
    [
      'a cluster that the kubeconfig has not',
      ['get', '--cluster', 'x'],
      1,
      /cluster: no cluster "x"; allowed: /,
    ],
    ['a user that the kubeconfig has not', ['get', '--user', 'x'], 1, /user: no user "x"; allowed: /],
    [
      'a namespace that is not there',
      ['get', 'agent', '-n', 'nowhere'],
      1,
      /^error: there is no ExtendedDaemonSet "agent" in the namespace nowhere\n$/,
    ],
    ['a format that is none', ['get', '-o', 'xml'], 2, /Allowed choices are wide, json, yaml, name/],
    ['no --select', ['pods', 'agent'], 2, /required option '--select <which>' not specified/],
    [
      'a canary where there is none',
      ['canary', 'validate', 'agent'],
      1,
      /^error: ExtendedDaemonSet agent has no canary now\n$/,
    ],
    [
      'a command that is none',
      ['canari'],
      2,
      /^error: unknown command 'canari' \(did you mean canary\?\)\. kubectl-eds --help /,
    ],
    [
      'a server that does not answer',
      ['get', '--server', 'http://127.0.0.1:9', '--request-timeout', '2s'],
      1,
      /^error: .*cannot reach http:\/\/127.0.0.1:9/,
    ],
  ])('answers %s with one sentence', async (_, args, code, message) => {
    const ended = await eds(...args);
    expect(ended.code, ended.err).toBe(code);
    expect(ended.err).toMatch(message);
    expect(ended.err).not.toMatch(/^\s+at /m);
  });

  it('pauses and freezes a rollout, and lets it go on, as often as it is asked', async () => {
    expect((await eds('pause-rolling-update', 'agent')).out).toContain(
      'kubectl eds unpause-rolling-update agent',
    );
    expect(await annotations()).toMatchObject({ 'rolling-update-paused': 'true' });
    expect(await eds('pause-rolling-update', 'agent')).toMatchObject({
      code: 0,
      out: expect.stringContaining('nothing to change') as string,
    });
    await eds('unpause-rolling-update', 'agent');
    expect(await annotations()).toMatchObject({ 'rolling-update-paused': 'false' });
    await eds('freeze-rollout', 'agent');
    expect(await annotations()).toMatchObject({ 'rollout-frozen': 'true' });
    await eds('unfreeze-rollout', 'agent');
    expect(await annotations()).toMatchObject({ 'rollout-frozen': 'false' });
  });

  describe('with a canary', () => {
    beforeAll(async () => {
      await setStatus(trying);
      const labels = {
        'extendeddaemonset.datadoghq.com/name': 'agent',
        'extendeddaemonsetreplicaset.datadoghq.com/name': canary,
      };
      await client.create(pods, {
        metadata: { namespace, name: 'agent-x', labels },
        spec: { nodeName: 'no-such-node', containers: [{ name: 'agent', image: 'agent:2' }] },
      });
    });

    it('lists its pods', async () => {
      for (const args of [
        ['canary', 'pods', 'agent'],
        ['pods', 'agent', '--select', 'canary'],
        ['pods', 'agent', '--select', 'not-ready'],
      ]) {
        const { code, out } = await eds(...args);
        expect(code).toBe(0);
        expect(out).toMatch(
          /^POD +READY +PHASE +REASON +NOT READY CONTAINERS +RESTARTS +NODE +NODE READY +AGE\nagent-x +0\/1 +Pending/,
        );
      }
    });

    it('lists its pods in every format', async () => {
      const listed = async (format: string) => (await eds('canary', 'pods', 'agent', '-o', format)).out;
      expect(await listed('name')).toBe('pod/agent-x\n');
      expect(await listed('wide')).toMatch(/ POD IP +REPLICA SET +IMAGES\n.* agent-new +agent:2\n$/);
      expect(JSON.parse(await listed('json'))).toMatchObject({
        kind: 'List',
        items: [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'agent-x' } }],
      });
      expect(await listed('yaml')).toContain('kind: Pod');
    });

    it('prints its pods that change or leave it, until it is interrupted', async () => {
      const name = 'agent-watched';
      const labels = {
        'extendeddaemonset.datadoghq.com/name': 'agent',
        'extendeddaemonsetreplicaset.datadoghq.com/name': canary,
      };
      const { out, child } = begun('canary', 'pods', 'agent', '--watch', '--output-watch-events');
      await expect.poll(out).toContain('agent-x');
      await client.create(pods, {
        metadata: { namespace, name, labels },
        spec: { nodeName: 'no-such-node', containers: [{ name: 'agent', image: 'agent:2' }] },
      });
      const events = (): readonly string[] =>
        [...out().matchAll(/^([A-Z]+) +agent-watched /gm)].map(([, type = '']) => type);
      await expect.poll(events).toEqual(['ADDED']);
      const conditions = [{ type: 'Ready', status: 'False', reason: 'ContainersNotReady' }];
      const status = { phase: 'Running', conditions };
      await client.patch(
        pods,
        { namespace, name },
        { type: 'merge', body: { status } },
        { subresource: 'status' },
      );
      await expect.poll(events).toEqual(['ADDED', 'MODIFIED']);
      const others = { 'extendeddaemonset.datadoghq.com/name': 'other' };
      await client.patch(
        pods,
        { namespace, name },
        { type: 'merge', body: { metadata: { labels: others } } },
      );
      await expect.poll(events).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
      await client.delete(pods, { namespace, name }, { gracePeriodSeconds: 0 });
      child.kill('SIGINT');
      await expect.poll(() => child.exitCode).toBe(130);
    });

    it('shows what it changes', async () => {
      const { out } = await eds('diff', 'agent');
      expect(out).toContain(`--- ${active}`);
      expect(out).toMatch(/^-.*image: agent:1$/m);
      expect(out).toMatch(/^\+.*image: agent:2$/m);
    });

    it('pauses it, lets it go on, and promotes it', async () => {
      expect((await eds('canary', 'pause', 'agent')).out).toContain('kubectl eds canary unpause agent');
      expect(await annotations()).toMatchObject({ 'canary-paused': 'true', 'canary-unpaused': 'false' });
      expect((await eds('canary', 'pause', 'agent')).out).toContain('is paused already');
      await eds('canary', 'unpause', 'agent');
      expect(await annotations()).toMatchObject({ 'canary-paused': 'false', 'canary-unpaused': 'true' });
      expect((await eds('canary', 'unpause', 'agent')).out).toContain('goes on already');
      await eds('canary', 'validate', 'agent');
      expect(await annotations()).toMatchObject({ 'canary-valid': canary });
      expect((await eds('canary', 'validate', 'agent')).out).toContain('is validated already');
    });

    it('fails it once, by one condition of its replica set (BUG-29)', async () => {
      expect(await eds('canary', 'fail', 'agent')).toMatchObject({ code: 0, err: '' });
      const failed = async () =>
        (await client.get(extendedDaemonSetReplicaSets, { namespace, name: canary })).status?.conditions;
      expect(await failed()).toMatchObject([
        { type: 'Canary-Failed', status: 'True', reason: 'Manually failed' },
      ]);
      expect((await eds('canary', 'fail', 'agent')).out).toContain('has failed already');
      expect(await failed()).toHaveLength(1);
    });

    it('does not hold the rest of the rollout back meanwhile', async () => {
      const { code, err } = await eds('freeze-rollout', 'agent');
      expect([code, err]).toEqual([
        1,
        expect.stringContaining('has a canary, agent-new. Use: kubectl eds canary pause agent'),
      ]);
    });
  });

  it('prints what changes, until it is interrupted', async () => {
    const { out, child } = begun('get', '--watch');
    await expect.poll(out).toContain('agent');
    await setStatus({ upToDate: 2 });
    await expect.poll(() => out().trim().split('\n').at(-1)?.split(/ {2,}/)[5]).toBe('2');
    child.kill('SIGINT');
    await expect.poll(() => child.exitCode).toBe(130);
  });
});

describe('completion', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'completion-'));
    const script = programFile('kubectl-eds');
    const program = join(folder, 'kubectl-eds');
    await writeFile(program, `#!/bin/sh\nexec ${process.execPath} ${script} "$@"\n`, { mode: 0o755 });
  });

  afterAll(async () => rm(folder, { recursive: true, force: true }));

  /** What a shell offers after these words, of which the last is being written. */
  const inShell: Readonly<Record<string, (words: readonly string[]) => string>> = {
    bash: (words) =>
      `source <(kubectl-eds completion bash); COMP_LINE="${words.join(' ').replace("''", '')}"; COMP_POINT=\${#COMP_LINE}; _kubectl_eds; printf '%s\\n' "\${COMPREPLY[@]}"`,
    zsh: (words) =>
      `compdef() { }; compset() { }; compadd() { shift; print -rl -- "\${(@P)1}" }; source <(kubectl-eds completion zsh); words=(${words.join(' ')}); CURRENT=${words.length}; PREFIX=${words.at(-1)}; _kubectl_eds`,
    fish: (words) =>
      `kubectl-eds completion fish | source; complete -C "${words.join(' ').replace("''", '')}"`,
    sh: (words) => `kubectl-eds completion kubectl | sh -s -- ${words.slice(1).join(' ')}`,
  };

  async function offered(shell: string, words: readonly string[]): Promise<readonly string[] | undefined> {
    const { promise, resolve } = Promise.withResolvers<readonly string[] | undefined>();
    const env = { ...process.env, PATH: `${folder}:${process.env['PATH'] ?? ''}`, KUBECONFIG: kubeconfig };
    const text = inShell[shell]?.(['kubectl-eds', ...words]) ?? '';
    execFile(shell, ['-c', text], { env }, (error, out) =>
      resolve(error?.code === 'ENOENT' ? undefined : out.trim().split('\n').sort()),
    );
    return promise;
  }

  it.each([
    ['bash', []],
    ['zsh', []],
    ['fish', []],
    // What kubectl asks for, which ends with what it wants to know.
    ['sh', [':4']],
  ])('in %s offers commands, values of flags and names of objects', async (shell, more) => {
    const commands = await offered(shell, ['canary', 'un']);
    // Not every machine has every shell.
    if (commands === undefined) return;
    expect(commands).toEqual([...more, 'unpause']);
    expect(await offered(shell, ['pods', 'agent', '--select', "''"])).toEqual([
      ...more,
      'canary',
      'not-ready',
    ]);
    expect(await offered(shell, ['canary', 'pause', '-n', namespace, 'a'])).toEqual([...more, 'agent']);
    const prefix = shell === 'fish' ? '--output=' : '';
    expect(await offered(shell, ['get', '--output=j'])).toEqual([...more, `${prefix}json`]);
    expect(await offered(shell, ['get-ers', '-n', namespace, 'agent-'])).toEqual([...more, canary, active]);
  });
});

describe('check-eds', () => {
  const soon = { CHECK_INTERVAL_SECONDS: '0.1', CHECK_TIMEOUT_MINUTES: '0.02' };
  const check = async (env: Readonly<Record<string, string>> = soon) =>
    run('check-eds', ['upgrade', 'agent', '-n', namespace], env);

  it('waits for a canary, and for pods that are not up to date', async () => {
    await setStatus(trying);
    expect(await check()).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^error: not complete after 0.02 minutes: the canary agent-new/) as string,
    });
    await setStatus({ current: 30, upToDate: 10 });
    expect(await check()).toMatchObject({
      code: 1,
      err: expect.stringContaining('10 of 30 pods of agent are up to date') as string,
    });
  });

  it('is content when enough are', async () => {
    await setStatus({ current: 30, upToDate: 29 });
    expect(await check()).toMatchObject({ code: 0, out: '29 of 30 pods of agent are up to date\n' });
    await setStatus({ current: 30, upToDate: 21 });
    expect(await check()).toMatchObject({ code: 0 });
  });

  it('fails when the rollout is paused, and for a setting that is no number', async () => {
    await setStatus({ state: 'Rollout frozen' });
    expect(await check()).toMatchObject({ code: 1, err: 'error: agent is Rollout frozen, not Running\n' });
    expect(await check({ ...soon, NODE_COMPLETION_PCT: 'most' })).toMatchObject({
      code: 2,
      err: 'error: NODE_COMPLETION_PCT is "most". Allowed is a number of at least 0 and at most 100. check-eds upgrade --help shows what is allowed\n',
    });
  });
});
