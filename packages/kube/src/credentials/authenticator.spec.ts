import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Clock } from '../clock/clock.ts';
import {
  createCertificateAuthority,
  issueCertificate,
  type KeyAndCertificate,
} from '../certificates/certificate.ts';
import { silentLogger, type Logger } from '../telemetry/logger.ts';
import { configMaps } from '../objects/resources.ts';
import { answerJson, answerStatus, TestServer } from '../testing/test-server.ts';
import { noTerminal } from './plugin-terminal.ts';
import { Authenticator, type TlsMaterial } from './authenticator.ts';
import type { ClusterAccess, ExecPlugin } from './cluster-access.ts';

const key = { namespace: 'edge', name: 'a' };
const stored = {
  metadata: { ...key, uid: 'u', resourceVersion: '7', creationTimestamp: '2026-01-01T00:00:00Z' },
};

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'credentials-'));
});
afterEach(async () => rm(folder, { recursive: true, force: true }));

/** A clock that stands still until it is moved. */
function stoppedClock(): Clock & { pass(milliseconds: number): void } {
  let time = Date.parse('2026-01-01T00:00:00Z');
  return {
    now: () => time,
    monotonic: () => time,
    processorMs: () => 0,
    setTimer: () => () => undefined,
    pass(milliseconds) {
      time += milliseconds;
    },
  };
}

/** A server that takes only the bearer tokens named now. */
async function guarded(allowed: Set<string>): Promise<TestServer> {
  return TestServer.start(({ headers }, response) => {
    const token = headers.authorization?.replace('Bearer ', '') ?? '';
    if (allowed.has(token)) answerJson(response, 200, stored);
    else answerStatus(response, 401, 'Unauthorized', 'Unauthorized');
  });
}

describe('a token file', () => {
  const token = (): Partial<ClusterAccess> => ({
    authorization: { type: 'token', token: { from: 'file', path: join(folder, 'token') } },
  });

  it('is read again after ten seconds', async () => {
    const clock = stoppedClock();
    await using server = await guarded(new Set(['one', 'two']));
    const client = server.client({ clock }, token());
    await writeFile(join(folder, 'token'), 'one\n');
    await client.get(configMaps, key);
    await writeFile(join(folder, 'token'), 'two\n');
    await client.get(configMaps, key);
    clock.pass(10_000);
    await client.get(configMaps, key);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer one',
      'Bearer one',
      'Bearer two',
    ]);
  });

  it('is read again at once when the server refuses the old token, by writes too', async () => {
    const allowed = new Set(['one']);
    await using server = await guarded(allowed);
    const client = server.client({ clock: stoppedClock() }, token());
    await writeFile(join(folder, 'token'), 'one');
    await client.get(configMaps, key);
    await writeFile(join(folder, 'token'), 'two');
    allowed.clear();
    allowed.add('two');
    await client.create(configMaps, { metadata: key });
    expect(server.requests).toHaveLength(3);
  });

  it('that has become unreadable keeps its last token; one that never was readable is an error', async () => {
    const clock = stoppedClock();
    await using server = await guarded(new Set(['one']));
    const client = server.client({ clock }, token());
    await expect(client.get(configMaps, key)).rejects.toThrow(
      `get configmaps edge/a: token: cannot read ${join(folder, 'token')}: no such file`,
    );
    await writeFile(join(folder, 'token'), 'one');
    await client.get(configMaps, key);
    await rm(join(folder, 'token'));
    clock.pass(60_000);
    await client.get(configMaps, key);
    expect(server.requests).toHaveLength(2);
  });

  it('that is refused twice is the caller’s matter', async () => {
    await using server = await guarded(new Set());
    await writeFile(join(folder, 'token'), 'one');
    await expect(server.client({}, token()).get(configMaps, key)).rejects.toMatchObject({
      code: 401,
      fate: 'refused',
    });
    expect(server.requests).toHaveLength(2);
  });
});

describe('certificate files', async () => {
  const authority = await createCertificateAuthority('one');
  const issue = async (): Promise<KeyAndCertificate> =>
    issueCertificate(authority, { commonName: 'me', usage: 'client' });
  const [first, second] = [await issue(), await issue()];
  const other = (await createCertificateAuthority('two')).certificatePem;

  /** Files that are read again at each look. */
  function watched(files: 'ca' | 'pair', logger: Logger = silentLogger): () => Promise<TlsMaterial> {
    const clock = stoppedClock();
    const file = (name: string) => ({ from: 'file', path: join(folder, name) }) as const;
    const access: ClusterAccess = {
      server: 'https://127.0.0.1',
      insecureSkipTlsVerify: false,
      authorization: { type: 'none' },
      ...(files === 'ca'
        ? { certificateAuthority: file('ca.crt') }
        : { clientCertificate: { certificate: file('tls.crt'), key: file('tls.key') } }),
    };
    const authenticator = new Authenticator(access, clock, logger, noTerminal);
    return async () => {
      clock.pass(10_000);
      return (await authenticator.current()).tls;
    };
  }
  const write = async (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
  const pairOf = ({ certificatePem, keyPem }: KeyAndCertificate): Partial<TlsMaterial> => ({
    certificate: certificatePem,
    key: keyPem,
  });

  it('of a client are taken together: half of a replaced pair is not used', async () => {
    const look = watched('pair');
    await write('tls.crt', first.certificatePem);
    await write('tls.key', second.keyPem);
    await expect(look()).rejects.toThrow(
      `client certificate: the key is not that of the certificate in ${join(folder, 'tls.crt')} and ${join(folder, 'tls.key')}`,
    );
    await write('tls.key', first.keyPem);
    expect(await look()).toMatchObject(pairOf(first));
    await write('tls.crt', second.certificatePem);
    expect(await look()).toMatchObject(pairOf(first));
    await write('tls.key', second.keyPem.slice(0, 100));
    expect(await look()).toMatchObject(pairOf(first));
    await write('tls.key', second.keyPem);
    expect(await look()).toMatchObject(pairOf(second));
  });

  it('of a client may be one file with both', async () => {
    const both = first.certificatePem + first.keyPem;
    for (const name of ['tls.crt', 'tls.key']) await write(name, both);
    expect(await watched('pair')()).toMatchObject({ certificate: both, key: both });
  });

  it.for([
    ['garbage', 'garbage'],
    ['half of a certificate', other.slice(0, other.length / 2)],
    ['one certificate and half of another', other + first.certificatePem.slice(0, 300)],
    ['a certificate that is none', other.replace(/[A-Za-z0-9+/]{60}\n/, '\n')],
  ])('of an authority that hold %s are not used', async ([, text = '']) => {
    const look = watched('ca');
    await write('ca.crt', text);
    await expect(look()).rejects.toThrow(/^certificate authority: (there is no|a) certificate/);
    await write('ca.crt', authority.certificatePem);
    expect(await look()).toMatchObject({ ca: authority.certificatePem });
    await write('ca.crt', text);
    expect(await look()).toMatchObject({ ca: authority.certificatePem });
    await write('ca.crt', `# two\n${authority.certificatePem}\n${other}`);
    expect((await look()).ca).toContain(other);
  });

  it('of authorities of which some cannot be read are used, with one line in the log for each content', async () => {
    const logged: unknown[] = [];
    const look = watched('ca', { ...silentLogger, warn: (...line) => void logged.push(line) });
    const broken = other.replace(/[A-Za-z0-9+/]{60}\n/, '\n');
    await write('ca.crt', authority.certificatePem + broken);
    expect([await look(), await look()]).toMatchObject([{ ca: expect.stringContaining(broken) }, {}]);
    const line = (unreadable: number): unknown => [
      { what: 'certificate authority', from: join(folder, 'ca.crt'), unreadable },
      'certificates that cannot be read are passed over',
    ];
    expect(logged).toEqual([line(1)]);
    await write('ca.crt', broken + authority.certificatePem + broken);
    await look();
    await write('ca.crt', authority.certificatePem);
    await look();
    expect(logged).toEqual([line(1), line(2)]);
  });
});

describe('headers', () => {
  it('carry basic credentials and impersonation', async () => {
    await using server = await TestServer.start((_, response) => answerJson(response, 200, stored));
    const access: Partial<ClusterAccess> = {
      authorization: { type: 'basic', username: 'me', password: 'pw' },
      impersonate: { user: 'you', uid: '7', groups: ['a', 'b'], extra: { 'acme.com/x': ['1', '2'] } },
    };
    await server.client({}, access).get(configMaps, key);
    expect(server.requests[0]?.headers).toMatchObject({
      authorization: `Basic ${Buffer.from('me:pw').toString('base64')}`,
      'impersonate-user': 'you',
      'impersonate-uid': '7',
      'impersonate-group': 'a, b',
      'impersonate-extra-acme.com%2fx': '1, 2',
    });
  });

  it('sends the names of users and groups in UTF-8', async () => {
    await using server = await TestServer.start((_, response) => answerJson(response, 200, stored));
    const impersonate = { user: 'jürgen@łódź', uid: 'ü', groups: ['日本'], extra: { x: ['é'] } };
    await server.client({}, { impersonate }).get(configMaps, key);
    const headers = server.requests[0]?.headers ?? {};
    const read = (name: string): string => Buffer.from(String(headers[name]), 'latin1').toString('utf8');
    expect(
      ['impersonate-user', 'impersonate-uid', 'impersonate-group', 'impersonate-extra-x'].map(read),
    ).toEqual(['jürgen@łódź', 'ü', '日本', 'é']);
  });
});

describe('an exec plugin', () => {
  /** A plugin that counts its runs, keeps its input, and prints the text of a file. */
  async function plugin(more: Partial<ExecPlugin> = {}): Promise<Partial<ClusterAccess>> {
    const command = join(folder, 'plugin');
    const script = `#!/bin/sh
echo run >> '${folder}/runs'
printf %s "$KUBERNETES_EXEC_INFO" > '${folder}/info'
cat '${folder}/credential'
[ -e '${folder}/fail' ] && { echo 'not logged in' >&2; exit 3; }
exit 0`;
    await writeFile(command, script);
    await chmod(command, 0o755);
    const authorization = {
      type: 'exec' as const,
      plugin: {
        apiVersion: 'client.authentication.k8s.io/v1' as const,
        command,
        args: [],
        env: {},
        provideClusterInfo: false,
        interactiveMode: 'Never' as const,
        ...more,
      },
    };
    return { authorization };
  }

  async function prints(status: object): Promise<void> {
    const credential = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status };
    await writeFile(join(folder, 'credential'), JSON.stringify(credential));
  }

  async function runs(): Promise<number> {
    return (await readFile(join(folder, 'runs'), 'utf8')).trim().split('\n').length;
  }

  it('runs once for many requests, and again when its credential has expired', async () => {
    const clock = stoppedClock();
    await using server = await guarded(new Set(['one', 'two']));
    const client = server.client({ clock }, await plugin());
    await prints({ token: 'one', expirationTimestamp: '2026-01-01T00:01:00Z' });
    await Promise.all(Array.from({ length: 10 }, () => client.get(configMaps, key)));
    expect(await runs()).toBe(1);
    clock.pass(60_000);
    await prints({ token: 'two' });
    await client.get(configMaps, key);
    expect(await runs()).toBe(2);
    expect(server.requests.at(-1)?.headers.authorization).toBe('Bearer two');
  });

  it('runs once more for many requests that are refused together', async () => {
    const allowed = new Set(['one']);
    await using server = await guarded(allowed);
    const client = server.client({ sockets: { requests: 5 } }, await plugin());
    await prints({ token: 'one' });
    await client.get(configMaps, key);
    await prints({ token: 'two' });
    allowed.clear();
    allowed.add('two');
    await Promise.all(Array.from({ length: 5 }, () => client.get(configMaps, key)));
    expect(await runs()).toBe(2);
  });

  it('does not run again for a denial of a webhook that looks like a refusal of credentials', async () => {
    await using server = await TestServer.start((_, response) =>
      answerStatus(response, 401, 'Unauthorized', 'admission webhook "x" denied the request: not today'),
    );
    const client = server.client({}, await plugin());
    await prints({ token: 'one' });
    for (let request = 0; request < 2; request += 1)
      await expect(client.delete(configMaps, key)).rejects.toThrow('denied the request');
    expect([await runs(), server.requests.length]).toEqual([1, 2]);
  });

  it('that fails is run again after a second, and not for each request', async () => {
    const clock = stoppedClock();
    await using server = await guarded(new Set(['one']));
    const client = server.client({ clock }, await plugin());
    await prints({ token: 'one' });
    await writeFile(join(folder, 'fail'), '');
    const refusedThrice = async (): Promise<void> => {
      for (let request = 0; request < 3; request += 1)
        await expect(client.get(configMaps, key)).rejects.toThrow('ended with exit code 3: not logged in');
    };
    await refusedThrice();
    expect(await runs()).toBe(1);
    clock.pass(1_000);
    await refusedThrice();
    expect(await runs()).toBe(2);
    await rm(join(folder, 'fail'));
    clock.pass(1_000);
    await client.get(configMaps, key);
    expect(await runs()).toBe(3);
  });

  const atTerminal = { input: true, output: false, print: () => undefined };
  it.for([
    ['Never', noTerminal, false],
    ['IfAvailable', noTerminal, false],
    ['Never', atTerminal, false],
    ['IfAvailable', atTerminal, true],
    ['Always', atTerminal, true],
  ] as const)(
    'with interactiveMode %s is told whether it may ask',
    async ([interactiveMode, terminal, may]) => {
      await using server = await guarded(new Set(['one']));
      await prints({ token: 'one' });
      await server.client({ terminal }, await plugin({ interactiveMode })).get(configMaps, key);
      expect(JSON.parse(await readFile(join(folder, 'info'), 'utf8'))).toMatchObject({
        spec: { interactive: may },
      });
    },
  );

  it('that must ask is not run where nobody is there', async () => {
    await using server = await guarded(new Set(['one']));
    await prints({ token: 'one' });
    const client = server.client({}, await plugin({ interactiveMode: 'Always' }));
    await expect(client.get(configMaps, key)).rejects.toThrow(
      'interactiveMode is Always, but standard input is no terminal; allowed here: Never, IfAvailable',
    );
    await expect(runs()).rejects.toThrow('ENOENT');
  });

  it('gets the cluster where it asks for it', async () => {
    await using server = await guarded(new Set(['one']));
    await prints({ token: 'one' });
    const access = await plugin({ provideClusterInfo: true, clusterConfig: { audience: 'z' } });
    await server.client({}, access).get(configMaps, key);
    expect(JSON.parse(await readFile(join(folder, 'info'), 'utf8'))).toEqual({
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      spec: { interactive: false, cluster: { server: server.url, config: { audience: 'z' } } },
    });
  });

  it('whose certificate and key cannot be used says so, and is run again', async () => {
    const clock = stoppedClock();
    await using server = await guarded(new Set(['one']));
    const client = server.client({ clock }, await plugin());
    const authority = await createCertificateAuthority('one');
    const issue = async () => issueCertificate(authority, { commonName: 'me', usage: 'client' });
    const [{ certificatePem, keyPem }, other] = [await issue(), await issue()];
    const command = join(folder, 'plugin');
    for (const [clientCertificateData, clientKeyData, why] of [
      ['none', keyPem, 'the certificate is unreadable'],
      [certificatePem, 'none', 'the key is unreadable'],
      [certificatePem, other.keyPem, 'the key is not that of the certificate'],
    ]) {
      await prints({ token: 'one', clientCertificateData, clientKeyData });
      await expect(client.get(configMaps, key)).rejects.toThrow(
        `get configmaps edge/a: exec plugin ${command}: status: ${why}`,
      );
      clock.pass(1_000);
    }
    await prints({ token: 'one', clientCertificateData: certificatePem, clientKeyData: keyPem });
    await client.get(configMaps, key);
    expect(await runs()).toBe(4);
  });

  it('reports in its own words what is wrong', async () => {
    await using server = await guarded(new Set());
    await writeFile(join(folder, 'credential'), '');
    await writeFile(join(folder, 'fail'), '');
    const access = await plugin();
    const command = join(folder, 'plugin');
    await expect(server.client({}, access).get(configMaps, key)).rejects.toThrow(
      `get configmaps edge/a: exec plugin ${command} ended with exit code 3: not logged in`,
    );
    await rm(join(folder, 'fail'));
    await expect(server.client({}, access).get(configMaps, key)).rejects.toThrow('its output is not JSON');
    await prints({});
    await expect(server.client({}, access).get(configMaps, key)).rejects.toThrow(
      'status has neither a token nor clientCertificateData',
    );
    await prints({ token: 'x', expirationTimestamp: 'tomorrow' });
    await expect(server.client({}, access).get(configMaps, key)).rejects.toThrow(
      'status.expirationTimestamp is "tomorrow"; allowed: an RFC 3339 time',
    );
    const absent = await plugin({ command: 'no-such-plugin', installHint: 'install it' });
    await expect(server.client({}, absent).get(configMaps, key)).rejects.toThrow(
      'exec plugin no-such-plugin: no such file; install it',
    );
    expect(server.requests).toEqual([]);
  });
});
