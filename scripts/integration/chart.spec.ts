import {
  agentObjects,
  installObjects,
  kruisePolicyObjects,
  limitedRbacObjects,
  operatorObjects,
  type InstallObject,
} from '@atoll/api/install';
import type { DaemonSet, Deployment, KubeObject } from '@atoll/kube';
import { kindDefinitions, shippedInstallation } from '@atoll/operator/install';
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { list } from 'tar';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { root } from '../checks.ts';
import { chart, obtainHelm, release, type Helm } from './helm.ts';

let helm: Helm;

beforeAll(async () => {
  helm = await obtainHelm();
}, 900_000);

afterAll(() => {
  helm[Symbol.dispose]();
});

const nameOf = ({ kind, metadata }: KubeObject): string => `${kind} ${metadata.name}`;

/** By kind and name, without what Helm makes of its own accord: the namespace. */
function byName(objects: readonly KubeObject[]): Readonly<Record<string, KubeObject>> {
  const wanted = objects.filter(({ kind }) => kind !== 'Namespace');
  return Object.fromEntries(wanted.map((object) => [nameOf(object), object]));
}

const plain = (objects: readonly InstallObject[]): readonly KubeObject[] =>
  JSON.parse(JSON.stringify(objects.map(({ object }) => object))) as readonly KubeObject[];

function named<T extends KubeObject>(objects: readonly KubeObject[], name: string): T {
  const found = objects.find((object) => nameOf(object) === name);
  if (found === undefined) throw new Error(`The chart renders no ${name}.`);
  return found as T;
}

/** How an endpoint of the ServiceMonitor is scraped, trusting what is in this Secret. */
const overTls = (secret: string, namespace = release.namespace) => ({
  scheme: 'https',
  tlsConfig: {
    ca: { secret: { name: secret, key: 'ca.crt' } },
    serverName: `atoll-metrics.${namespace}.svc`,
  },
});

const isOnByDefault = (controller: string): boolean =>
  kindDefinitions.some(({ name, onByDefault }) => onByDefault && name === controller);

const operatorArgs = (objects: readonly KubeObject[]): readonly string[] =>
  named<Deployment>(objects, 'Deployment atoll').spec?.template.spec?.containers[0]?.args ?? [];

describe('the chart', () => {
  it('is free of what Helm finds wrong', async () => {
    await expect(helm.run('lint', '--strict', chart)).resolves.toContain('0 chart(s) failed');
  });

  it('has the version of the project', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    const yaml = parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8')) as Record<string, unknown>;
    expect(yaml).toMatchObject({ version, appVersion: version });
  });

  it('is packed from an archive of the commit with no other time than that of the commit', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'atoll-chart-'));
    try {
      const git = (command: string): string =>
        execFileSync('bash', ['-c', `git ${command}`], { cwd: root, encoding: 'utf8' });
      git(`archive HEAD deploy | tar -x -C "${folder}"`);
      await helm.run('package', join(folder, 'deploy', 'helm', 'atoll'), '--destination', folder);
      const times = new Map<string, number>();
      await list({
        file: globSync(join(folder, '*.tgz'))[0] ?? '',
        onReadEntry: ({ path, mtime }) => void times.set(path, (mtime?.getTime() ?? 0) / 1000),
      });
      expect([...times.keys()]).toContain('atoll/Chart.yaml');
      expect([...new Set(times.values())]).toEqual([Number(git('log -1 --format=%ct'))]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('installs what deploy/install.yaml does', async () => {
    const expected = byName(plain([...installObjects(shippedInstallation), ...operatorObjects()]));
    expect(byName(await helm.render())).toEqual(expected);
  });

  it('installs the agent and the policy about OpenKruise as deploy/optional does', async () => {
    const rendered = byName(
      await helm.render('--set', 'agent.enabled=true', '--set', 'policies.keepKruiseOff=true'),
    );
    expect(rendered).toMatchObject(byName(plain([...agentObjects(), ...kruisePolicyObjects()])));
  });

  it('leaves out what is switched off', async () => {
    const off = ['crds.install', 'policies.install', 'webhook.enabled', 'podDisruptionBudget.enabled'];
    const rendered = await helm.render(...off.flatMap((value) => ['--set', `${value}=false`]));
    const kinds = new Set(rendered.map(({ kind }) => kind));
    expect(kinds).toEqual(
      new Set([
        'ServiceAccount',
        'ClusterRole',
        'ClusterRoleBinding',
        'Role',
        'RoleBinding',
        'Service',
        'Deployment',
      ]),
    );
    expect(operatorArgs(rendered)).toContain('--webhook-bind-address=0');
  });

  it('follows the namespace of its release', async () => {
    const rendered = await helm.render('--namespace=elsewhere', '--set', 'agent.enabled=true');
    expect(JSON.stringify(rendered)).not.toContain('atoll-system');
    expect(JSON.stringify(rendered)).toContain('system:serviceaccount:elsewhere:atoll-agent');
  });

  it('takes names that YAML reads as a number or as nothing', async () => {
    const values = {
      priorityClassName: '1000',
      networkPolicy: { enabled: true },
      webhook: { certManager: { enabled: true } },
      metrics: {
        tls: { secret: '007' },
        serviceMonitor: { enabled: true, tokenSecret: '1e3' },
        prometheusRule: { enabled: true },
      },
      agent: { enabled: true, priorityClassName: 'true' },
    };
    for (const namespace of ['1234', '1e3', 'null', 'true']) {
      const rendered = await helm.render(`--namespace=${namespace}`, '--set-json', JSON.stringify(values));
      const found = rendered.map(({ metadata }) => metadata.namespace as unknown);
      expect(new Set(found)).toEqual(new Set([undefined, namespace]));
      const pods = named<Deployment>(rendered, 'Deployment atoll').spec?.template.spec;
      expect([pods?.priorityClassName, pods?.volumes?.[1]?.secret?.secretName]).toEqual(['1000', '007']);
      expect(named<DaemonSet>(rendered, 'DaemonSet atoll-agent').spec?.template.spec).toMatchObject({
        priorityClassName: 'true',
      });
      expect(named(rendered, 'ServiceMonitor atoll')).toMatchObject({
        spec: {
          endpoints: [{ authorization: { credentials: { name: '1e3' } }, ...overTls('007', namespace) }, {}],
        },
      });
      const own = await helm.render(`--namespace=${namespace}`, '--set=metrics.serviceMonitor.enabled=true');
      expect(named(own, 'ClusterRoleBinding atoll-metrics-reader')).toMatchObject({
        subjects: [{ namespace }],
      });
      expect(named(own, 'ServiceAccount atoll-metrics-reader').metadata.namespace).toBe(namespace);
    }
  });

  it('lets nodes be drained whose replica never becomes ready', async () => {
    expect(named(await helm.render(), 'PodDisruptionBudget atoll')).toMatchObject({
      spec: { unhealthyPodEvictionPolicy: 'AlwaysAllow' },
    });
  });

  it('takes an issuer of another group', async () => {
    const issuerRef = { group: 'awspca.cert-manager.io', kind: 'AWSPCAClusterIssuer', name: 'private' };
    const certManager = { enabled: true, issuerRef };
    const rendered = await helm.render(
      '--set-json',
      JSON.stringify({ webhook: { certManager }, metrics: { tls: { certManager } } }),
    );
    for (const name of ['atoll-webhook', 'atoll-metrics'])
      expect(named(rendered, `Certificate ${name}`)).toMatchObject({ spec: { issuerRef } });
  });

  it('takes a tag with a digest', async () => {
    const digest = `sha256:${'0a'.repeat(32)}`;
    const rendered = await helm.render(
      '--set',
      `image.repository=registry:5000/edge/atoll-operator,image.tag=0.1.0@${digest}`,
    );
    expect(named<Deployment>(rendered, 'Deployment atoll').spec?.template.spec?.containers[0]?.image).toBe(
      `registry:5000/edge/atoll-operator:0.1.0@${digest}`,
    );
  });

  // As releases of 0.1.0 could be given a digest alone.
  it('takes a digest in place of a tag', async () => {
    const rendered = await helm.render(
      '--set-string',
      `image.repository=registry:5000/edge/atoll-operator@sha256,image.tag=${'0a'.repeat(32)}`,
    );
    expect(named<Deployment>(rendered, 'Deployment atoll').spec?.template.spec?.containers[0]?.image).toBe(
      `registry:5000/edge/atoll-operator@sha256:${'0a'.repeat(32)}`,
    );
  });

  it('has each label once, that of the values where both have it', async () => {
    const labels = { 'app.kubernetes.io/name': 'scraped', release: 'prometheus' };
    const own = (component: string) => ({
      'app.kubernetes.io/name': 'atoll',
      'app.kubernetes.io/component': component,
    });
    const rendered = await helm.render(
      '--set-json',
      JSON.stringify({
        podLabels: { ...own('operator'), team: 'edge' },
        agent: { enabled: true, podLabels: { ...own('agent'), team: 'edge' } },
        metrics: { serviceMonitor: { enabled: true, labels }, prometheusRule: { enabled: true, labels } },
      }),
    );
    expect(named<Deployment>(rendered, 'Deployment atoll').spec?.template.metadata?.labels).toEqual({
      ...own('operator'),
      team: 'edge',
    });
    expect(named<DaemonSet>(rendered, 'DaemonSet atoll-agent').spec?.template.metadata?.labels).toEqual({
      ...own('agent'),
      team: 'edge',
    });
    for (const kind of ['ServiceMonitor', 'PrometheusRule'])
      expect(named(rendered, `${kind} atoll`).metadata.labels).toEqual({
        'app.kubernetes.io/name': 'scraped',
        'app.kubernetes.io/component': 'operator',
        'app.kubernetes.io/managed-by': 'atoll',
        release: 'prometheus',
      });
  });

  it('has notes that name each image which is to be built, and no other', async () => {
    const notes = async (values: string): Promise<readonly string[]> => {
      const args = ['--namespace=edge', '--dry-run=client', `--set=${values}`];
      const text = await helm.run('install', release.name, chart, ...args);
      return [...text.matchAll(/No registry has the image ([^ :]*):/g)].map(([, image = '']) => image);
    };
    expect(await notes('replicas=1')).toEqual(['atoll-operator']);
    expect(await notes('agent.enabled=true,image.repository=registry/atoll-operator')).toEqual([
      'atoll-agent',
    ]);
  });

  it.each([
    ['metrics.serviceMonitor.enabled=true', true],
    ['metrics.serviceMonitor.enabled=true,networkPolicy.metricsFrom[0].podSelector.matchLabels.app=p', false],
    ['metrics.serviceMonitor.enabled=false', false],
  ])(
    'has notes of metrics that a NetworkPolicy keeps from being scraped: with %s %s',
    async (value, isKept) => {
      const args = ['--namespace=edge', '--dry-run=client', `--set=networkPolicy.enabled=true,${value}`];
      const text = await helm.run('install', release.name, chart, ...args);
      expect(text.includes('set networkPolicy.metricsFrom to where Prometheus runs')).toBe(isKept);
    },
  );

  it('takes certificates of cert-manager', async () => {
    const rendered = await helm.render('--set', 'webhook.certManager.enabled=true');
    expect(operatorArgs(rendered)).toEqual(
      expect.arrayContaining([
        '--webhook-cert-dir=/certificates',
        '--webhook-inject-ca-from=atoll-system/atoll-webhook',
      ]),
    );
    const { spec } = named<Deployment>(rendered, 'Deployment atoll').spec?.template ?? {};
    expect(spec?.volumes).toEqual([
      { name: 'certificates', secret: { secretName: 'atoll-webhook-cert-manager' } },
    ]);
    expect(spec?.containers[0]?.volumeMounts).toEqual([
      { name: 'certificates', mountPath: '/certificates', readOnly: true },
    ]);
    expect(named(rendered, 'Certificate atoll-webhook')).toMatchObject({
      spec: {
        secretName: 'atoll-webhook-cert-manager',
        dnsNames: ['atoll-webhook.atoll-system.svc'],
        issuerRef: { name: 'atoll-selfsigned' },
      },
    });
    named(rendered, 'Issuer atoll-selfsigned');
    const withIssuer = await helm.render(
      '--set',
      'webhook.certManager.enabled=true,webhook.certManager.issuerRef.kind=ClusterIssuer,webhook.certManager.issuerRef.name=own',
    );
    expect(named(withIssuer, 'Certificate atoll-webhook')).toMatchObject({
      spec: { issuerRef: { kind: 'ClusterIssuer', name: 'own' } },
    });
    expect(withIssuer.map(({ kind }) => kind)).not.toContain('Issuer');
  });

  describe('metrics', () => {
    const scraped = ['--set', 'metrics.serviceMonitor.enabled=true,networkPolicy.enabled=true'];
    const metricsFrom = ['--set-json', 'networkPolicy.metricsFrom=[{"podSelector":{}}]'];
    const containerOf = (objects: readonly KubeObject[]) =>
      named<Deployment>(objects, 'Deployment atoll').spec?.template.spec?.containers[0];
    const volumesOf = (objects: readonly KubeObject[]) =>
      named<Deployment>(objects, 'Deployment atoll').spec?.template.spec?.volumes;
    const servedOn = async (objects: readonly KubeObject[]): Promise<unknown> => [
      named(objects, 'Service atoll-metrics'),
      named(objects, 'NetworkPolicy atoll'),
    ];

    it('are scraped over HTTPS by the name of the Service, while probes stay on the port of health', async () => {
      const rendered = await helm.render(...scraped, ...metricsFrom);
      expect(await servedOn(rendered)).toMatchObject([
        { spec: { ports: [{ name: 'metrics', port: 8443, targetPort: 'metrics' }] } },
        { spec: { ingress: [{}, { ports: [{ port: 'metrics' }] }] } },
      ]);
      expect(containerOf(rendered)).toMatchObject({
        livenessProbe: { httpGet: { path: '/healthz', port: 'health' } },
        ports: [
          { name: 'health', containerPort: 8080 },
          { name: 'metrics', containerPort: 8443 },
          { name: 'webhooks', containerPort: 9443 },
        ],
      });
      expect(operatorArgs(rendered).filter((arg) => arg.startsWith('--metrics'))).toEqual([]);
      expect(volumesOf(rendered)).toBeUndefined();
    });

    it('follow the namespace of the release', async () => {
      const rendered = await helm.render(...scraped, '--namespace=elsewhere');
      expect(named(rendered, 'ServiceMonitor atoll')).toMatchObject({
        spec: { endpoints: [{ tlsConfig: { serverName: 'atoll-metrics.elsewhere.svc' } }, {}] },
      });
    });

    it('take the certificate of a Secret, beside that of the webhooks', async () => {
      const rendered = await helm.render(
        ...scraped,
        '--set',
        'metrics.tls.secret=own,webhook.certManager.enabled=true',
      );
      expect(operatorArgs(rendered)).toContain('--metrics-cert-dir=/metrics-certificates');
      expect(volumesOf(rendered)).toEqual([
        { name: 'certificates', secret: { secretName: 'atoll-webhook-cert-manager' } },
        { name: 'metrics-certificates', secret: { secretName: 'own', optional: true } },
      ]);
      expect(containerOf(rendered)?.volumeMounts?.map(({ mountPath }) => mountPath)).toEqual([
        '/certificates',
        '/metrics-certificates',
      ]);
      expect(named(rendered, 'ServiceMonitor atoll')).toMatchObject({
        spec: { endpoints: [overTls('own'), overTls('own')] },
      });
    });

    it('take the certificate of cert-manager, with its own issuer or the shared one', async () => {
      const rendered = await helm.render(
        ...scraped,
        '--set',
        'metrics.tls.certManager.enabled=true,webhook.certManager.enabled=true',
      );
      expect(named(rendered, 'Certificate atoll-metrics')).toMatchObject({
        spec: {
          secretName: 'atoll-metrics-cert-manager',
          dnsNames: ['atoll-metrics.atoll-system.svc'],
          issuerRef: { name: 'atoll-selfsigned' },
        },
      });
      named(rendered, 'Certificate atoll-webhook');
      expect(rendered.filter(({ kind }) => kind === 'Issuer')).toHaveLength(1);
      expect(named(rendered, 'ServiceMonitor atoll')).toMatchObject({
        spec: { endpoints: [overTls('atoll-metrics-cert-manager'), {}] },
      });
      const withIssuer = await helm.render(
        '--set',
        'metrics.tls.certManager.enabled=true,metrics.tls.certManager.issuerRef.kind=ClusterIssuer,metrics.tls.certManager.issuerRef.name=own',
      );
      expect(named(withIssuer, 'Certificate atoll-metrics')).toMatchObject({
        spec: { issuerRef: { kind: 'ClusterIssuer', name: 'own' } },
      });
      expect(withIssuer.map(({ kind }) => kind)).not.toContain('Issuer');
    });

    it('are checked as the ServiceMonitor is given it', async () => {
      const rendered = await helm.render(
        ...scraped,
        '--set-json',
        'metrics.serviceMonitor.tlsConfig={"serverName":"metrics.example"}',
      );
      expect(named(rendered, 'ServiceMonitor atoll')).toMatchObject({
        spec: { endpoints: [{ tlsConfig: { serverName: 'metrics.example' } }, {}] },
      });
      expect(JSON.stringify(named(rendered, 'ServiceMonitor atoll'))).not.toContain('ca.crt');
    });

    it('stay in plain text on the port of health where that is asked for', async () => {
      const rendered = await helm.render(...scraped, ...metricsFrom, '--set', 'metrics.tls.enabled=false');
      expect(await servedOn(rendered)).toMatchObject([
        { spec: { ports: [{ name: 'metrics', port: 8080, targetPort: 'health' }] } },
        { spec: { ingress: [{}, { ports: [{ port: 'health' }] }] } },
      ]);
      expect(operatorArgs(rendered)).toContain('--metrics-bind-address=0');
      expect(containerOf(rendered)?.ports?.map(({ name }) => name)).toEqual(['health', 'webhooks']);
      expect(JSON.stringify(named(rendered, 'ServiceMonitor atoll'))).not.toContain('https');
    });

    it('are the same where the values are those of a release from before there was a choice', async () => {
      const kept = ['--set-json', 'metrics.tls=null', '--set-json', 'metrics.serviceMonitor.tlsConfig=null'];
      expect(await helm.render(...scraped, ...kept)).toEqual(await helm.render(...scraped));
    });

    it.each([
      ['metrics.tls.secret=a,metrics.tls.certManager.enabled=true', 'two sources of one certificate'],
      ['metrics.tls.enabled=false,metrics.tls.secret=a', 'serves metrics in plain text'],
      ['metrics.tls.enabled=false,metrics.tls.certManager.enabled=true', 'serves metrics in plain text'],
    ])('cannot have %s', async (values, message) => {
      await expect(helm.render('--set', values)).rejects.toThrow(message);
    });
  });

  it('passes on where the pods are to run, and how', async () => {
    const rendered = await helm.render(
      '--set-json',
      JSON.stringify({
        image: { repository: 'registry.example/atoll-operator', tag: 'v1' },
        imagePullSecrets: [{ name: 'pull' }],
        replicas: 3,
        controllers: '*,extended-daemon-set',
        extraArgs: ['--workers=4'],
        podLabels: { team: 'edge' },
        podAnnotations: { note: 'kept' },
        nodeSelector: { role: 'infra' },
        tolerations: [{ key: 'infra', operator: 'Exists' }],
        affinity: { nodeAffinity: {} },
        priorityClassName: 'system-cluster-critical',
        agent: { enabled: true, nodeSelector: { edge: 'true' }, extraArgs: ['--compat-status-codes'] },
      }),
    );
    const { spec } = named<Deployment>(rendered, 'Deployment atoll');
    expect(spec).toMatchObject({
      replicas: 3,
      template: {
        metadata: { labels: { team: 'edge' }, annotations: { note: 'kept' } },
        spec: {
          imagePullSecrets: [{ name: 'pull' }],
          nodeSelector: { 'kubernetes.io/os': 'linux', role: 'infra' },
          tolerations: [{ key: 'infra', operator: 'Exists' }],
          priorityClassName: 'system-cluster-critical',
          containers: [{ image: 'registry.example/atoll-operator:v1' }],
        },
      },
    });
    expect(operatorArgs(rendered)).toEqual(
      expect.arrayContaining(['--controllers=*,extended-daemon-set', '--workers=4']),
    );
    expect(named<DaemonSet>(rendered, 'DaemonSet atoll-agent').spec?.template.spec).toMatchObject({
      nodeSelector: { 'kubernetes.io/os': 'linux', edge: 'true' },
      containers: [{ args: ['--compat-status-codes'] }],
    });
  });

  it('keeps to nodes with Linux, unless it is given other nodes', async () => {
    const selectors = async (nodeSelector: object): Promise<readonly unknown[]> => {
      const values = { nodeSelector, agent: { enabled: true, nodeSelector } };
      const objects = await helm.render('--set-json', JSON.stringify(values));
      return ['Deployment atoll', 'DaemonSet atoll-agent'].map(
        (name) => named<Deployment>(objects, name).spec?.template.spec?.nodeSelector,
      );
    };
    const linux = { 'kubernetes.io/os': 'linux' };
    expect(await selectors({})).toEqual([linux, linux]);
    expect(await selectors({ 'kubernetes.io/os': 'own' })).toEqual(
      [0, 1].map(() => ({ 'kubernetes.io/os': 'own' })),
    );
    expect(await selectors({ 'kubernetes.io/os': null })).toEqual([undefined, undefined]);
  });

  it('gives its ServiceAccount the annotations of the values, as of an identity in a cloud', async () => {
    const annotations = { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/atoll', number: '1' };
    const values = { serviceAccount: { annotations }, agent: { enabled: true } };
    const rendered = await helm.render('--set-json', JSON.stringify(values));
    expect(named(rendered, 'ServiceAccount atoll').metadata.annotations).toEqual(annotations);
    expect(named(rendered, 'ServiceAccount atoll-agent').metadata.annotations).toBeUndefined();
  });

  describe('a ServiceAccount', () => {
    interface Bound extends KubeObject {
      readonly subjects?: readonly { readonly kind: string; readonly name: string }[];
    }
    const rendered = async (serviceAccount: object, more: object = {}) =>
      helm.render('--set-json', JSON.stringify({ serviceAccount, ...more }));
    const accountsOf = (objects: readonly KubeObject[]) =>
      objects.filter(({ kind }) => kind === 'ServiceAccount').map(({ metadata }) => metadata.name);
    const boundTo = (objects: readonly KubeObject[]) => [
      ...new Set(
        (objects as readonly Bound[]).flatMap(({ subjects = [] }) => subjects.map(({ name }) => name)),
      ),
    ];

    it.each([{}, { namespaces: ['edge', 'lab'] }])(
      'that is there already runs the operator, and has all its roles: with %j',
      async (more) => {
        const objects = await rendered({ create: false, name: '007' }, more);
        expect(accountsOf(objects)).toEqual([]);
        expect(boundTo(objects)).toEqual(['007']);
        expect(named<Deployment>(objects, 'Deployment atoll').spec?.template.spec?.serviceAccountName).toBe(
          '007',
        );
      },
    );

    it('that the chart makes may have another name', async () => {
      const objects = await rendered({ name: 'own' }, { agent: { enabled: true } });
      expect(accountsOf(objects)).toEqual(['own', 'atoll-agent']);
      expect(boundTo(objects)).toEqual(['own', 'atoll-agent']);
    });

    it.each([
      [{ create: false }, 'serviceAccount.create is false, and no account is named'],
      [
        { create: false, name: 'own', annotations: { a: 'b' } },
        'serviceAccount.annotations would be written nowhere',
      ],
      [{ create: 'no' }, 'serviceAccount/create'],
      [{ name: 'Own' }, 'serviceAccount/name'],
      [{ name: 'atoll-agent' }, 'serviceAccount.name is atoll-agent, an account of the chart'],
    ])('cannot be %j', async (serviceAccount, message) => {
      await expect(rendered(serviceAccount)).rejects.toThrow(message);
    });
  });

  describe('on the network of the node', () => {
    const rendered = async (values: object) =>
      helm.render('--set-json', JSON.stringify({ hostNetwork: true, ...values }));
    const specOf = (objects: readonly KubeObject[]) => named<Deployment>(objects, 'Deployment atoll').spec;

    it('a replica resolves names of the cluster, and ends before the next one needs its ports', async () => {
      const spec = specOf(await rendered({}));
      expect(spec?.template.spec).toMatchObject({ hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' });
      expect(spec?.strategy).toEqual({
        type: 'RollingUpdate',
        rollingUpdate: { maxSurge: 0, maxUnavailable: 1 },
      });
    });

    it('takes no port of the node that nothing is served on', async () => {
      const values = { webhook: { enabled: false }, metrics: { tls: { enabled: false } } };
      const ports = specOf(await rendered(values))?.template.spec?.containers[0]?.ports;
      expect(ports).toEqual([{ name: 'health', containerPort: 8080 }]);
    });

    it('has notes of its ports, of Pod Security, and of a NetworkPolicy', async () => {
      const notes = (values: string) =>
        helm.run('install', release.name, chart, '--namespace=edge', '--dry-run=client', `--set=${values}`);
      const text = await notes('hostNetwork=true,networkPolicy.enabled=true');
      expect(text).toContain('the ports 8080, 8443 and 9443 have to be free there');
      expect(text).toContain('must not enforce the Pod Security level baseline or restricted');
      expect(text).toContain('The NetworkPolicy does not apply to these pods');
      expect(await notes('networkPolicy.enabled=true')).not.toContain('The NetworkPolicy does not apply');
    });
  });

  it('reads every value that values.yaml has, alone or with the part that it is in', () => {
    const templates = globSync(join(chart, 'templates', '*')).map((file) => readFileSync(file, 'utf8'));
    const read = new Set(
      templates.flatMap((text) => [...text.matchAll(/\.Values\.([\w.]*\w)/g)].map(([, path]) => path)),
    );
    const unread = (value: unknown, path: string): readonly string[] => {
      if (read.has(path)) return [];
      const parts = typeof value === 'object' && value !== null ? Object.entries(value) : [];
      if (parts.length === 0) return [path];
      return parts.flatMap(([name, each]) => unread(each, path === '' ? name : `${path}.${name}`));
    };
    expect(unread(parse(readFileSync(join(chart, 'values.yaml'), 'utf8')), '')).toEqual([]);
  });

  describe('the probes of the agent', () => {
    const rendered = async (...extraArgs: readonly string[]) => {
      const values = JSON.stringify({ agent: { enabled: true, extraArgs } });
      return helm.render('--set-json', values);
    };

    it.each<readonly [readonly string[], object]>([
      [['--compat-status-codes'], { host: '127.0.0.1', port: 10267 }],
      [['--bind-address=127.0.0.1:10268'], { host: '127.0.0.1', port: 10268 }],
      [['--bind-address=node:80', '--bind-address', '10.0.0.1:81'], { host: '10.0.0.1', port: 81 }],
      [['--bind-address=:80'], { host: '127.0.0.1', port: 80 }],
      [['--bind-address=0.0.0.0:80'], { host: '127.0.0.1', port: 80 }],
      [['--bind-address=[::]:80'], { host: '::1', port: 80 }],
      [
        ['--tls-cert-file=/tls.crt', '--tls-private-key-file=/tls.key'],
        { host: '127.0.0.1', port: 10267, scheme: 'HTTPS' },
      ],
    ])('ask where %j let it serve', async (extraArgs, where) => {
      const { spec } = named<DaemonSet>(await rendered(...extraArgs), 'DaemonSet atoll-agent');
      const [agent] = spec?.template.spec?.containers ?? [];
      expect([agent?.livenessProbe?.httpGet, agent?.readinessProbe?.httpGet]).toEqual([
        { path: '/v1/healthz', ...where },
        { path: '/v1/readyz', ...where },
      ]);
    });

    it('are left out where it serves on a unix socket alone', async () => {
      const objects = await rendered('--bind-address=0', '--unix-socket=/var/lib/atoll-agent/socket');
      const { spec } = named<DaemonSet>(objects, 'DaemonSet atoll-agent');
      const [agent] = spec?.template.spec?.containers ?? [];
      expect(agent?.args).toHaveLength(2);
      expect([agent?.livenessProbe, agent?.readinessProbe]).toEqual([undefined, undefined]);
    });

    it.each(['--bind-address=localhost', '--bind-address=127.0.0.1:0'])('cannot ask at %s', async (arg) => {
      await expect(rendered(arg)).rejects.toThrow('agent.extraArgs: --bind-address is');
    });
  });

  it.each([
    ['--cache-dir=/var/lib/other', '--cache-dir', '/var/lib/other'],
    ['--cache-dir=/var/lib/atoll-agent-2', '--cache-dir', '/var/lib/atoll-agent-2'],
    ['--cache-dir=/var/lib/atoll-agent/../other', '--cache-dir', '/var/lib/atoll-agent/../other'],
    ['--unix-socket=/run/atoll-agent.sock', '--unix-socket', '/run/atoll-agent.sock'],
  ])('refuses %s for the agent, which can write only where its node is mounted', async (arg, flag, path) => {
    const values = { agent: { enabled: true, extraArgs: [arg] } };
    await expect(helm.render('--set-json', JSON.stringify(values))).rejects.toThrow(
      `agent.extraArgs: ${flag} is ${path}, but the agent can write only in /var/lib/atoll-agent: choose a path in it`,
    );
  });

  it('lets the agent keep its files in a folder of its own', async () => {
    const extraArgs = ['--cache-dir=/var/lib/atoll-agent/edge', '--unix-socket=/var/lib/atoll-agent/socket'];
    const objects = await helm.render('--set-json', JSON.stringify({ agent: { enabled: true, extraArgs } }));
    const { spec } = named<DaemonSet>(objects, 'DaemonSet atoll-agent');
    expect(spec?.template.spec?.containers[0]?.args).toEqual(extraArgs);
  });

  describe('environment variables', () => {
    const rendered = (values: object) => helm.render('--set-json', JSON.stringify(values));
    const proxy = [
      { name: 'HTTPS_PROXY', value: 'http://proxy:3128' },
      { name: 'NO_PROXY', valueFrom: { configMapKeyRef: { name: 'proxy', key: 'no' } } },
    ];

    it('can be given to the operator and the agent, beside those of the chart', async () => {
      const [plainly, objects] = [
        await rendered({ agent: { enabled: true } }),
        await rendered({ extraEnv: proxy, agent: { enabled: true, extraEnv: proxy } }),
      ];
      for (const name of ['Deployment atoll', 'DaemonSet atoll-agent']) {
        const env = (all: readonly KubeObject[]) =>
          named<Deployment>(all, name).spec?.template.spec?.containers[0]?.env ?? [];
        expect(env(objects)).toEqual([...env(plainly), ...proxy]);
      }
    });

    it('can take the place of the options of Node', async () => {
      const own = [{ name: 'NODE_OPTIONS', value: '--max-semi-space-size=8 --use-openssl-ca' }];
      const objects = await rendered({ extraEnv: own, agent: { enabled: true, extraEnv: own } });
      for (const name of ['Deployment atoll', 'DaemonSet atoll-agent']) {
        const { env = [] } = named<Deployment>(objects, name).spec?.template.spec?.containers[0] ?? {};
        expect(env.filter((each) => each.name === 'NODE_OPTIONS')).toEqual(own);
      }
    });

    it.each([
      ['extraEnv: POD_NAMESPACE is set by the chart', { extraEnv: [{ name: 'POD_NAMESPACE', value: 'a' }] }],
      [
        'agent.extraEnv: NODE_NAME is set by the chart',
        { agent: { enabled: true, extraEnv: [{ name: 'NODE_NAME', value: 'a' }] } },
      ],
      ['extraEnv: HTTPS_PROXY is given twice', { extraEnv: [...proxy, ...proxy] }],
      ["extraEnv/0': missing property 'name'", { extraEnv: [{ value: 'a' }] }],
      ["extraEnv/0/value': got number, want string", { extraEnv: [{ name: 'A', value: 1 }] }],
    ])('are refused where they cannot be: %s', async (message, values) => {
      await expect(rendered(values)).rejects.toThrow(message);
    });
  });

  describe('controllers', () => {
    const rendered = async (controllers: string) =>
      helm.render('--set-json', JSON.stringify({ controllers }));
    const names = kindDefinitions.map(({ name }) => name);

    it.each([
      ['node-pol', '"node-pol" is not a controller'],
      ['*,-daemon-set-upgrades,image-pre-pull', '"daemon-set-upgrades" is not a controller'],
      [names.map((name) => `-${name}`).join(','), 'it switches every controller off'],
      ['-nodepool,nodepool', 'it switches every controller off'],
    ])('%s is refused as by the operator: %s', async (value, why) => {
      await expect(rendered(value)).rejects.toThrow(
        `controllers: "${value}": ${why}; allowed are *, the names ${names.join(', ')}, and each name with a leading "-"`,
      );
    });

    it.each([
      ['--controllers=*,-node-pool', '--controllers is set by the value controllers'],
      ['--namespaces', '--namespaces is set by the value namespaces'],
    ])(
      'are no extra arguments, which rights and other releases know nothing of: %s',
      async (arg, message) => {
        await expect(helm.render('--set-json', JSON.stringify({ extraArgs: [arg, 'edge'] }))).rejects.toThrow(
          `extraArgs: ${message}: write it there`,
        );
      },
    );

    it('have their names, and those of the old operators', async () => {
      const known = kindDefinitions.flatMap(({ name, aliases }) => [name, ...aliases]);
      for (const value of [known.join(','), '*,-nodepool-controller,daemonpodupdater', '-node-pool'])
        expect(operatorArgs(await rendered(value))).toContain(`--controllers=${value}`);
    });
  });

  describe('leader election', () => {
    const values = (replicas: number, ...extraArgs: readonly string[]) =>
      helm.render('--set-json', JSON.stringify({ replicas, extraArgs }));

    it.each([[['--leader-elect=false']], [['--leader-elect=true', '--leader-elect', 'false']]])(
      'is not switched off for several replicas by %j',
      async (extraArgs) => {
        await expect(values(2, ...extraArgs)).rejects.toThrow(
          'extraArgs: --leader-elect is false, and 2 replicas would write over each other: leave it out, or set replicas to 1',
        );
      },
    );

    it('can be switched off for one replica, and be asked for', async () => {
      expect(operatorArgs(await values(1, '--leader-elect=false'))).toContain('--leader-elect=false');
      expect(operatorArgs(await values(2, '--leader-elect=true'))).toContain('--leader-elect=true');
    });

    // A second one would run beside it, and write, until the next one is ready.
    it('that is switched off has a replica end before the next one starts', async () => {
      const strategy = async (replicas: number, ...extraArgs: readonly string[]) =>
        named<Deployment>(await values(replicas, ...extraArgs), 'Deployment atoll').spec?.strategy;
      expect(await strategy(1, '--leader-elect=false')).toEqual({ type: 'Recreate' });
      expect(await strategy(0, '--leader-elect', 'false')).toEqual({ type: 'Recreate' });
      for (const extraArgs of [[], ['--leader-elect=false', '--leader-elect=true']])
        expect(await strategy(1, ...extraArgs)).toMatchObject({ type: 'RollingUpdate' });
    });
  });

  it('may be the dependency of another chart, with a condition, which alone can leave it out', async () => {
    expect(await helm.render('--set', 'enabled=true')).toEqual(await helm.render());
    await expect(helm.render('--set', 'enabled=false')).rejects.toThrow('enabled');
  });

  describe('the addresses of the operator', () => {
    const rendered = async (values: object) => helm.render('--set-json', JSON.stringify(values));

    it.each<readonly [readonly string[]]>([
      [['--bind-address=:8080', '--metrics-bind-address=0.0.0.0:8443', '--webhook-bind-address=[::]:9443']],
      [['--bind-address=127.0.0.1:1', '--bind-address', '[::]:8080']],
      [['--webhook-bind-address=0']],
    ])('can be %j, where probes and Services lead', async (extraArgs) => {
      expect(operatorArgs(await rendered({ extraArgs }))).toEqual(expect.arrayContaining([...extraArgs]));
    });

    it('can be 0 for metrics that are served in plain text', async () => {
      const values = { extraArgs: ['--metrics-bind-address=0'], metrics: { tls: { enabled: false } } };
      expect(operatorArgs(await rendered(values))).toContain('--metrics-bind-address=0');
    });

    it.each<readonly [string, readonly string[], object]>([
      ['--bind-address is :8081, but probes ask port 8080', ['--bind-address=:8081'], {}],
      ['--bind-address is 127.0.0.1:8080, but probes', ['--bind-address', '127.0.0.1:8080'], {}],
      ['--bind-address is 0, but probes', ['--bind-address=0'], {}],
      [
        '--metrics-bind-address is :9090, but the Service atoll-metrics',
        ['--metrics-bind-address=:9090'],
        {},
      ],
      ['set metrics.tls.enabled=false', ['--metrics-bind-address=0'], {}],
      [
        '--metrics-bind-address is :8443, but metrics.tls.enabled=false',
        ['--metrics-bind-address=:8443'],
        { metrics: { tls: { enabled: false } } },
      ],
      [
        '--webhook-bind-address is :9444, but the Service atoll-webhook',
        ['--webhook-bind-address=:9444'],
        {},
      ],
    ])('are refused elsewhere: %s', async (message, extraArgs, values) => {
      await expect(rendered({ extraArgs, ...values })).rejects.toThrow(message);
    });
  });

  describe('alerts', () => {
    interface Rules extends KubeObject {
      readonly spec: {
        readonly groups: readonly {
          readonly rules: readonly {
            readonly alert?: string;
            readonly annotations?: Readonly<Record<string, string>>;
          }[];
        }[];
      };
    }
    const alertsOf = async (...values: readonly string[]) => {
      const rendered = await helm.render('--set', 'metrics.prometheusRule.enabled=true', ...values);
      const { groups } = named<Rules>(rendered, 'PrometheusRule atoll').spec;
      return groups.flatMap(({ rules }) => rules.filter(({ alert }) => alert !== undefined));
    };

    it('have a runbook_url, which leads to their section, where the page has an address', async () => {
      const page = 'https://git.example/atoll/blob/v0.1.0/docs/operating/alerts.md';
      const sections = readFileSync(join(root, 'docs/operating/alerts.md'), 'utf8')
        .split('\n')
        .flatMap((line) => /^## (.*)$/.exec(line)?.[1]?.toLowerCase().replaceAll(' ', '-') ?? []);
      const alerts = await alertsOf('--set', `metrics.prometheusRule.runbookUrl=${page}`);
      expect(alerts.length).toBeGreaterThan(10);
      for (const { alert = '', annotations } of alerts) {
        expect(annotations?.['runbook_url']).toBe(`${page}#${alert.toLowerCase()}`);
        expect(annotations?.['runbook']).toBe(`docs/operating/alerts.md#${alert.toLowerCase()}`);
        expect(sections).toContain(alert.toLowerCase());
      }
    });

    it('have none where it has no address', async () => {
      for (const { annotations } of await alertsOf()) expect(annotations).not.toHaveProperty('runbook_url');
    });
  });

  it('has a ServiceMonitor and a NetworkPolicy where they are asked for', async () => {
    const rendered = await helm.render(
      '--set',
      'metrics.serviceMonitor.enabled=true,metrics.serviceMonitor.labels.release=prometheus,networkPolicy.enabled=true',
    );
    const token = { name: 'atoll-metrics-reader', key: 'token' };
    const tls = overTls('atoll-webhook');
    expect(named(rendered, 'ServiceMonitor atoll')).toMatchObject({
      metadata: { labels: { release: 'prometheus' } },
      spec: {
        endpoints: [
          { port: 'metrics', path: '/metrics', authorization: { credentials: token }, ...tls },
          {
            port: 'metrics',
            path: '/ksmetrics',
            honorLabels: true,
            authorization: { credentials: token },
            ...tls,
          },
        ],
      },
    });
    // Not app.kubernetes.io/managed-by, of which Helm writes another value into the cluster.
    const selector = { 'app.kubernetes.io/name': 'atoll', 'app.kubernetes.io/component': 'operator' };
    expect(named(rendered, 'ServiceMonitor atoll')).toHaveProperty('spec.selector.matchLabels', selector);
    expect(named(rendered, 'Service atoll-metrics').metadata.labels).toMatchObject(selector);
    expect(named(rendered, 'Secret atoll-metrics-reader')).toMatchObject({
      metadata: { annotations: { 'kubernetes.io/service-account.name': 'atoll-metrics-reader' } },
      type: 'kubernetes.io/service-account-token',
    });
    named(rendered, 'ServiceAccount atoll-metrics-reader');
    expect(named(rendered, 'ClusterRoleBinding atoll-metrics-reader')).toMatchObject({
      roleRef: { name: named(rendered, 'ClusterRole atoll-metrics-reader').metadata.name },
    });
    expect(named(rendered, 'NetworkPolicy atoll')).toMatchObject({
      spec: { ingress: [{ ports: [{ port: 'webhooks' }] }] },
    });
  });

  it('has a NetworkPolicy that lets nothing in where there are no webhooks, but who reads metrics', async () => {
    const ingress = async (metricsFrom: readonly object[]) => {
      const values = { webhook: { enabled: false }, networkPolicy: { enabled: true, metricsFrom } };
      const rendered = await helm.render('--set-json', JSON.stringify(values));
      const { spec } = named<KubeObject & { readonly spec?: object }>(rendered, 'NetworkPolicy atoll');
      return spec;
    };
    const from = [{ podSelector: {} }];
    expect(await ingress([])).toMatchObject({ policyTypes: ['Ingress'], ingress: [] });
    expect(await ingress(from)).toMatchObject({ ingress: [{ from, ports: [{ port: 'metrics' }] }] });
  });

  it.each([
    ['*', ['/metrics', '/ksmetrics']],
    ['*\\,-extendeddaemonset', ['/metrics']],
    ['node-pool', ['/metrics']],
    ['extendeddaemonset', ['/metrics', '/ksmetrics']],
  ])('has the pages scraped that an operator with the controllers %s serves', async (controllers, pages) => {
    const rendered = await helm.render(
      '--set',
      `metrics.serviceMonitor.enabled=true,controllers=${controllers}`,
    );
    const { spec } = named<
      KubeObject & { readonly spec: { readonly endpoints: readonly { readonly path: string }[] } }
    >(rendered, 'ServiceMonitor atoll');
    expect(spec.endpoints.map(({ path }) => path)).toEqual(pages);
  });

  // Prometheus gives all pages of one port the same labels otherwise, and writes one series `up` for all of them.
  it('tells the targets of its two pages apart', async () => {
    const rendered = await helm.render('--set', 'metrics.serviceMonitor.enabled=true');
    expect(named(rendered, 'ServiceMonitor atoll')).toMatchObject({
      spec: {
        endpoints: [
          { path: '/metrics' },
          {
            path: '/ksmetrics',
            relabelings: [{ sourceLabels: ['__metrics_path__'], targetLabel: 'metrics_path' }],
          },
        ],
      },
    });
  });

  it('makes no token for metrics where there is one, or where none is needed', async () => {
    const scraped = ['--set', 'metrics.serviceMonitor.enabled=true', '--set'];
    const own = await helm.render(...scraped, 'metrics.serviceMonitor.tokenSecret=mine');
    expect(named(own, 'ServiceMonitor atoll')).toMatchObject({
      spec: { endpoints: [{ authorization: { credentials: { name: 'mine' } } }, {}] },
    });
    const open = await helm.render(...scraped, 'metrics.requireToken=false');
    expect(operatorArgs(open)).toContain('--metrics-require-token=false');
    expect(JSON.stringify(named(open, 'ServiceMonitor atoll'))).not.toContain('authorization');
    for (const rendered of [own, open]) expect(rendered.map(({ kind }) => kind)).not.toContain('Secret');
  });

  describe('limited to namespaces', () => {
    const limited = (...values: readonly string[]) =>
      helm.render('--namespace=team-a', '--set', 'namespaces={edge,lab}', ...values);
    const namespaces = ['edge', 'lab'];

    it.each([
      ['*', shippedInstallation.controllers.filter(({ name }) => isOnByDefault(name))],
      [
        '-node-pool',
        shippedInstallation.controllers.filter(({ name }) => name !== 'node-pool' && isOnByDefault(name)),
      ],
      ['*\\,daemonpodupdater\\,image-pre-pull', shippedInstallation.controllers],
      [
        'uniteddeployment',
        shippedInstallation.controllers.filter(({ name }) => name === 'united-deployment'),
      ],
    ])(
      'gives the controllers of "%s" Roles there, and in the cluster what no Role can give',
      async (value, controllers) => {
        const rendered = await limited('--set', `controllers=${value}`);
        const expected = plain(limitedRbacObjects({ ownNamespace: 'team-a', namespaces, controllers }));
        const inPlace = ({ kind, metadata }: KubeObject): string =>
          `${kind} ${metadata.namespace ?? ''} ${metadata.name}`;
        const named = (objects: readonly KubeObject[]) =>
          Object.fromEntries(
            objects
              .filter(({ metadata }) => metadata.name === 'atoll.team-a')
              .map((object) => [inPlace(object), object]),
          );
        expect(named(rendered)).toEqual(named(expected));
        const clusterRoles = rendered
          .filter(({ kind }) => kind === 'ClusterRole')
          .map(({ metadata }) => metadata.name);
        expect(clusterRoles.toSorted()).toEqual([
          'atoll-edit',
          'atoll-metrics-reader',
          'atoll-view',
          'atoll.team-a',
        ]);
        expect(rendered.filter(({ kind }) => kind === 'ClusterRoleBinding')).toHaveLength(1);
      },
    );

    it('gives the operator these namespaces, and its own Lease and Secret in its own', async () => {
      const rendered = await limited();
      expect(operatorArgs(rendered)).toContain('--namespaces=edge,lab');
      expect(named(rendered, 'Role atoll')).toMatchObject({ metadata: { namespace: 'team-a' } });
    });

    it('installs nothing a second time that is the same for all, where it does not install the definitions', async () => {
      const rendered = await limited('--set', 'crds.install=false,policies.install=false');
      const inCluster = rendered.filter(({ metadata }) => metadata.namespace === undefined);
      expect(inCluster.map(nameOf).toSorted()).toEqual([
        'ClusterRole atoll.team-a',
        'ClusterRoleBinding atoll.team-a',
      ]);
      const scraped = await limited(
        '--set',
        'crds.install=false,policies.install=false,metrics.serviceMonitor.enabled=true',
      );
      named(scraped, 'ClusterRoleBinding atoll-metrics-reader.team-a');
    });

    it('installs the roles for people where only the definitions come from elsewhere', async () => {
      const rendered = await limited('--set', 'crds.install=false');
      const names = rendered
        .filter(({ kind }) => kind === 'ClusterRole')
        .map(({ metadata }) => metadata.name);
      expect(names).toEqual(expect.arrayContaining(['atoll-view', 'atoll-edit', 'atoll-metrics-reader']));
    });
  });

  it.each([
    ['namespaces={Edge}', 'namespaces/0'],
    ['namespaces={edge,edge}', 'namespaces'],
    ['namespaces=edge', 'namespaces'],
    ['replica=3', 'replica'],
    ['replicas=many', 'replicas'],
    ['logLevel=loud', 'logLevel'],
    ['agent.maxUnavailable=a few', 'agent/maxUnavailable'],
    ['webhook.certManager.issuerRef.kind=Authority', 'issuerRef/kind'],
    ['controllers=Everything', 'controllers'],
    ['metrics.tls=true', 'metrics/tls'],
    ['metrics.tls.enabled=sometimes', 'tls/enabled'],
    ['metrics.tls.secret=Mine', 'tls/secret'],
    ['metrics.tls.certManager.issuerRef.kind=Authority', 'issuerRef/kind'],
    ['metrics.serviceMonitor.tlsConfig=none', 'serviceMonitor/tlsConfig'],
    // The API server refuses a DaemonSet that may replace no pod.
    ['agent.maxUnavailable=0', 'agent/maxUnavailable'],
    ['agent.maxUnavailable=0%', 'agent/maxUnavailable'],
    ['webhook.certManager.issuerRef.kind=ClusterIssuer', "issuerRef': missing property 'name'"],
    ['metrics.tls.certManager.issuerRef.group=cert-manager.io', "issuerRef': missing property 'name'"],
    // The pods would not be those that the selector means.
    ['podLabels.app\\.kubernetes\\.io/name=own', "podLabels/app.kubernetes.io~1name': value must be 'atoll'"],
    ['agent.podLabels.app\\.kubernetes\\.io/component=own', "component': value must be 'agent'"],
    // With the tag of the chart behind it, neither is an image.
    ['image.repository=registry/atoll-operator:0.1.0', 'image/repository'],
    ['agent.image.repository=registry/atoll-agent@sha256:00', 'agent/image/repository'],
    ['image.tag=@sha256:00', 'image/tag'],
    ['image.repository=registry/atoll-operator@sha256', "image/tag': '' does not match"],
    ['image.repository=registry/atoll-operator@sha256,image.tag=0.1.0', 'image/tag'],
    ['agent.image.repository=registry/atoll-agent@sha256', 'agent/image/tag'],
    ['image.repository=registry.example/Edge/atoll-operator', 'image/repository'],
    ["agent.image.repository=registry/o'hare", 'agent/image/repository'],
    ['metrics.prometheusRule.runbookUrl=docs/operating/alerts.md', 'prometheusRule/runbookUrl'],
    ['metrics.prometheusRule.runbookUrl=https://git.example/alerts.md#top', 'prometheusRule/runbookUrl'],
  ])('refuses %s and names the value', async (value, field) => {
    await expect(helm.render('--set', value)).rejects.toThrow(field);
  });

  // Helm takes a value away that is null, instead of giving it its default.
  it.each<readonly [string, Readonly<Record<string, readonly string[]>>]>([
    [
      'parts',
      {
        '': [
          'image',
          'podDisruptionBudget',
          'crds',
          'policies',
          'webhook',
          'metrics',
          'networkPolicy',
          'agent',
        ],
      },
    ],
    [
      'parts of parts',
      { webhook: ['certManager'], metrics: ['serviceMonitor', 'prometheusRule'], agent: ['image'] },
    ],
    [
      'values',
      {
        '': ['controllers', 'logLevel', 'logFormat'],
        image: ['repository'],
        podDisruptionBudget: ['enabled', 'maxUnavailable'],
        crds: ['install'],
        policies: ['install'],
        webhook: ['enabled'],
        'webhook/certManager': ['enabled'],
        // Without it metrics would be shown to everybody.
        metrics: ['requireToken'],
        'metrics/serviceMonitor': ['enabled', 'interval'],
        'metrics/prometheusRule': ['enabled'],
        networkPolicy: ['enabled'],
        agent: ['enabled', 'maxUnavailable'],
        'agent/image': ['repository'],
      },
    ],
  ])('refuses %s that are null where nothing can be in their place, and names each', async (_, lacking) => {
    const nulls = Object.entries(lacking).flatMap(([part, names]) =>
      names.flatMap((name) => {
        const path = [...(part === '' ? [] : part.split('/')), name].join('.');
        return ['--set-json', `${path}=null`];
      }),
    );
    const refusal = await helm.render(...nulls).then(String, String);
    const found = [...refusal.matchAll(/- at '\/?([^']*)': missing propert(?:y|ies) (.*)/g)];
    const named = found.map(([, part, names = '']) => [
      part,
      names.replaceAll("'", '').split(', ').toSorted(),
    ]);
    expect(Object.fromEntries(named)).toEqual(
      Object.fromEntries(Object.entries(lacking).map(([part, names]) => [part, names.toSorted()])),
    );
  });

  it('takes null for every other value, as if it were not set', async () => {
    const plainly = byName(await helm.render());
    const others = [
      'image.tag',
      'image.pullPolicy',
      'imagePullSecrets',
      'replicas',
      'namespaces',
      'checkOverlap',
      'extraArgs',
      'extraEnv',
      'resources',
      'podLabels',
      'podAnnotations',
      'nodeSelector',
      'tolerations',
      'affinity',
      'topologySpreadConstraints',
      'priorityClassName',
      'hostNetwork',
      'serviceAccount',
      'policies.keepKruiseOff',
      'webhook.certManager.issuerRef',
      'metrics.tls',
      'metrics.serviceMonitor.tokenSecret',
      'metrics.serviceMonitor.tlsConfig',
      'metrics.serviceMonitor.labels',
      'metrics.prometheusRule.runbookUrl',
      'metrics.prometheusRule.labels',
      'networkPolicy.metricsFrom',
    ];
    const rendered = byName(await helm.render(...others.flatMap((value) => ['--set-json', `${value}=null`])));
    expect(Object.keys(rendered)).toEqual(Object.keys(plainly));
  });
});
