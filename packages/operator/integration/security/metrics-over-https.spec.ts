// Metrics and debug pages over HTTPS: with certificates of the operator's own, and with those that somebody else keeps as files.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodePools, operatorNames } from '@atoll/api';
import {
  clusterRoleBindings,
  namespaces,
  requestToken,
  secrets,
  serviceAccounts,
  validatingWebhookConfigurations,
  type StreamingClient,
} from '@atoll/kube';
import {
  createCertificateAuthority,
  issueCertificate,
  type CertificateAuthority,
  type KeyAndCertificate,
} from '@atoll/kube/certificates';
import type { RunningOperator } from '@atoll/testbed';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apply, pool } from '../set-up/objects.ts';
import { withoutElection, type OperatorControlPlane } from '../set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../set-up/shared-operator-control-plane.ts';
import { eventually } from '../set-up/standing.ts';

const dayMs = 24 * 60 * 60 * 1000;
const monitoring = 'monitoring';
const metricsName = `${operatorNames.metricsService}.${operatorNames.namespace}.svc`;
const overHttps = ['--metrics-bind-address=127.0.0.1:0', '--metrics-require-token=true'];

let world: OperatorControlPlane;
let client: StreamingClient;
let token: string;

beforeAll(async () => {
  world = await sharedOperatorControlPlane({ fleet: { pools: ['hz'], nodesPerPool: 1 } });
  ({ client } = world);
  await client.create(namespaces, { metadata: { name: monitoring } });
  const prometheus = { namespace: monitoring, name: 'prometheus' };
  await client.create(serviceAccounts, { metadata: prometheus });
  await client.create(clusterRoleBindings, {
    metadata: { name: 'https-prometheus' },
    roleRef: {
      apiGroup: 'rbac.authorization.k8s.io',
      kind: 'ClusterRole',
      name: operatorNames.metricsReader,
    },
    subjects: [{ kind: 'ServiceAccount', ...prometheus }],
  });
  ({ token } = await requestToken(client, prometheus));
});

afterAll(async () => {
  await client?.delete(clusterRoleBindings, { name: 'https-prometheus' });
  await world?.[Symbol.asyncDispose]();
});

interface Asked {
  readonly at: number;
  readonly ca: string;
  /** The name that the client expects, as Prometheus does by `serverName`. */
  readonly name?: string;
  readonly path?: string;
  readonly withToken?: boolean;
}

interface Answer {
  readonly code: number | undefined;
  readonly text: string;
  readonly serial: string;
}

async function ask({
  at,
  ca,
  name = metricsName,
  path = '/metrics',
  withToken = true,
}: Asked): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = withToken ? { authorization: `Bearer ${token}` } : {};
    const options = { host: '127.0.0.1', port: at, path, ca, servername: name, agent: false, headers };
    const sent = httpsRequest(options, (response) => {
      const socket = response.socket as unknown as { getPeerCertificate(): { serialNumber: string } };
      const { serialNumber: serial } = socket.getPeerCertificate();
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ code: response.statusCode, text, serial }));
    });
    sent.on('error', reject);
    sent.end();
  });
}

const logOf = async ({ logFile }: RunningOperator): Promise<string> => readFile(logFile, 'utf8');

/** Where an operator serves its metrics, as its log says. */
async function portOf(operator: RunningOperator): Promise<number> {
  return eventually(async () => {
    const found = /"port":(\d+),"msg":"serving metrics over HTTPS"/.exec(await logOf(operator));
    expect(found).not.toBeNull();
    return Number(found?.[1]);
  });
}

/** What the ServiceMonitor of the chart trusts. */
async function ownAuthority(): Promise<string> {
  const { data } = await client.get(secrets, {
    namespace: operatorNames.namespace,
    name: operatorNames.webhookSecret,
  });
  return Buffer.from(data?.['ca.crt'] ?? '', 'base64').toString();
}

describe('with certificates of the operator’s own', () => {
  let operator: RunningOperator;
  let at: number;
  let ca: string;

  beforeAll(async () => {
    const webhooks = ['--webhook-bind-address=127.0.0.1:0', '--webhook-url=https://127.0.0.1:0'];
    operator = await world.start({ args: [...withoutElection, ...overHttps, ...webhooks] });
    at = await portOf(operator);
    ca = await ownAuthority();
  });

  afterAll(async () => {
    await operator?.kill();
  });

  it('metrics are shown to a client that trusts the Secret and asks for the name of the Service', async () => {
    await eventually(async () => {
      const { code, text } = await ask({ at, ca });
      expect([code, text]).toEqual([200, expect.stringContaining('workqueue_depth')]);
    });
    expect((await ask({ at, ca, path: '/ksmetrics' })).code).toBe(200);
    expect((await ask({ at, ca, withToken: false })).code).toBe(401);
    expect((await ask({ at, ca, path: '/debug/log-level' })).code).toBe(403);
    expect((await ask({ at, ca, path: '/healthz' })).code).toBe(404);
  });

  it('a client that trusts another authority, or asks for another name, sends no token', async () => {
    const { certificatePem } = await createCertificateAuthority('somebody');
    await expect(ask({ at, ca: certificatePem })).rejects.toMatchObject({
      code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    });
    await expect(ask({ at, ca, name: 'atoll-metrics.elsewhere.svc' })).rejects.toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
  });

  it('webhooks have the same authority, and one Secret is enough for both', async () => {
    const bundles = await eventually(async () => {
      const key = { name: operatorNames.webhookConfiguration };
      const { webhooks = [] } = await client.get(validatingWebhookConfigurations, key);
      expect(webhooks.length).toBeGreaterThan(0);
      return webhooks.map(({ clientConfig }) => clientConfig.caBundle ?? '');
    });
    for (const bundle of bundles) expect(Buffer.from(bundle, 'base64').toString()).toBe(await ownAuthority());
  });

  it('probes go on in plain text, where metrics and tokens are refused', async () => {
    // It is ready when it has listed what it reads.
    await eventually(async () => {
      for (const path of ['/healthz', '/readyz']) expect((await fetch(operator.url + path)).status).toBe(200);
    });
    const headers = { authorization: `Bearer ${token}` };
    const refused = await fetch(`${operator.url}/metrics`, { headers });
    expect([refused.status, await refused.text()]).toEqual([
      403,
      expect.stringContaining('a token must not travel in plain text'),
    ]);
    await eventually(async () => {
      expect(await logOf(operator)).toContain('a token was sent in plain text and may have been read');
    });
    expect(await logOf(operator)).not.toContain(token);
  });
});

describe('with certificates that somebody else keeps as files', () => {
  let directory: string;
  let authority: CertificateAuthority;
  let operator: RunningOperator;

  const make = async (lifetimeMs = dayMs, now = Date.now()): Promise<KeyAndCertificate> =>
    issueCertificate(
      authority,
      { commonName: 'metrics', hosts: [metricsName], usage: 'server' },
      { now, lifetimeMs },
    );

  async function mount({ certificatePem, keyPem }: KeyAndCertificate): Promise<void> {
    await writeFile(join(directory, 'tls.key'), keyPem);
    await writeFile(join(directory, 'tls.crt'), certificatePem);
  }

  async function logs(text: string): Promise<void> {
    await eventually(async () => expect(await logOf(operator)).toContain(text));
  }

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'atoll-metrics-'));
    authority = await createCertificateAuthority('cert-manager');
    const args = [...withoutElection, ...overHttps, `--metrics-cert-dir=${directory}`];
    operator = await world.start({ name: 'operator-with-files', args });
  });

  afterAll(async () => {
    await operator?.kill();
    await rm(directory, { recursive: true });
  });

  it('the operator works without them and names each thing that is wrong', async () => {
    await logs(`no such file or directory, open '${directory}/tls.crt'`);
    await apply(client, nodePools, pool('hz', { tier: 'a' }));
    await eventually(async () => {
      expect((await fetch(`${operator.url}/readyz`)).status).toBe(200);
      expect((await client.get(nodePools, { name: 'hz' })).status?.readyNodeNum).toBe(1);
    });
    const good = await make();
    await mount({ ...good, certificatePem: 'nonsense' });
    await logs(`${directory}/tls.crt holds no certificate in PEM`);
    await mount({ ...(await make()), keyPem: good.keyPem });
    await logs(`the key in ${directory}/tls.key is not that of the certificate beside it`);
    expect(await logOf(operator)).not.toContain('serving metrics over HTTPS');
  });

  it('they are served when they are there, when they are renewed, and until they are when they have expired', async () => {
    const ca = authority.certificatePem;
    await mount(await make());
    const at = await portOf(operator);
    const first = await eventually(async () => {
      const answer = await ask({ at, ca });
      expect(answer.code).toBe(200);
      return answer;
    });
    await mount(await make(dayMs, Date.now() - 2 * dayMs));
    await logs(`the certificate in ${directory}/tls.crt has expired at`);
    await eventually(async () => expect(ask({ at, ca })).rejects.toMatchObject({ code: 'CERT_HAS_EXPIRED' }));
    await mount(await make());
    const renewed = await eventually(async () => ask({ at, ca }));
    expect([renewed.code, renewed.serial === first.serial]).toEqual([200, false]);
  });
});
