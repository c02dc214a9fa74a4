// A release beside others: what Helm finds in the cluster is answered by a stub, so that every case costs one rendering.
import { createServer, type Server } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { limitedRbacObjects } from '@atoll/api/install';
import type { ClusterRole } from '@atoll/kube';
import { shippedInstallation } from '@atoll/operator/install';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chart, obtainHelm, release, type Helm } from './helm.ts';

const group = 'rbac.authorization.k8s.io';
const apiVersion = `${group}/v1`;

let helm: Helm;
let server: Server;
let folder: string;
/** The installed operators: those that are limited by their own namespace, and the namespace of one that is not. */
let limited: Readonly<Record<string, { readonly namespaces: readonly string[]; readonly pools?: boolean }>>;
let unlimited:
  { readonly namespace: string; readonly binding: string; readonly account?: string } | undefined;

function answers(): Readonly<Record<string, unknown>> {
  const verbs = ['get', 'list'];
  const resources = [
    { name: 'clusterroles', kind: 'ClusterRole', namespaced: false, verbs },
    { name: 'clusterrolebindings', kind: 'ClusterRoleBinding', namespaced: false, verbs },
  ];
  const version = { groupVersion: apiVersion, version: 'v1' };
  const subjects = [
    // To whom somebody gave the same rights.
    { kind: 'User', name: 'engineer' },
    { kind: 'ServiceAccount', name: 'debug', namespace: 'monitoring' },
    { kind: 'ServiceAccount', name: unlimited?.account ?? 'atoll', namespace: unlimited?.namespace },
  ];
  const items = [
    { apiVersion, kind: 'ClusterRole', metadata: { name: 'view' }, rules: null },
    // Of somebody else, under a name like ours.
    {
      apiVersion,
      kind: 'ClusterRole',
      metadata: { name: 'atoll.others' },
      rules: [{ resources: ['namespaces'], resourceNames: ['north'] }],
    },
    ...Object.entries(limited).map(([ownNamespace, { namespaces, pools = false }]) =>
      clusterRoleOf(ownNamespace, namespaces, pools),
    ),
  ];
  return {
    '/version': { major: '1', minor: '36', gitVersion: 'v1.36.0' },
    '/api': { kind: 'APIVersions', versions: ['v1'] },
    '/api/v1': { kind: 'APIResourceList', groupVersion: 'v1', resources: [] },
    '/apis': {
      kind: 'APIGroupList',
      groups: [{ name: group, versions: [version], preferredVersion: version }],
    },
    [`/apis/${apiVersion}`]: { kind: 'APIResourceList', groupVersion: apiVersion, resources },
    [`/apis/${apiVersion}/clusterroles`]: { apiVersion, kind: 'ClusterRoleList', metadata: {}, items },
    ...(unlimited === undefined
      ? {}
      : {
          [`/apis/${apiVersion}/clusterrolebindings/${unlimited.binding}`]: {
            apiVersion,
            kind: 'ClusterRoleBinding',
            metadata: {
              name: unlimited.binding,
              annotations: { 'meta.helm.sh/release-namespace': unlimited.namespace },
            },
            subjects,
          },
        }),
  };
}

/** As Helm stores what the chart installs: with its own name in one of our labels. */
function clusterRoleOf(ownNamespace: string, namespaces: readonly string[], pools: boolean): ClusterRole {
  const controllers = shippedInstallation.controllers.filter(({ name }) => pools || name !== 'node-pool');
  const objects = limitedRbacObjects({ ownNamespace, namespaces, controllers });
  const role = objects.find(({ object }) => object.kind === 'ClusterRole')?.object as ClusterRole;
  const labels = { ...role.metadata.labels, 'app.kubernetes.io/managed-by': 'Helm' };
  return { ...role, metadata: { ...role.metadata, labels } };
}

beforeAll(async () => {
  server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    const found = answers()[path];
    const none = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 };
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found ?? none));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  folder = mkdtempSync(join(tmpdir(), 'atoll-overlap-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'stub', cluster: { server: url } }],
      contexts: [{ name: 'stub', context: { cluster: 'stub', user: 'stub' } }],
      users: [{ name: 'stub', user: {} }],
      'current-context': 'stub',
    }),
  );
  helm = await obtainHelm(kubeconfig);
}, 900_000);

afterAll(async () => {
  helm?.[Symbol.dispose]();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

/** Why the release is refused; empty: it is not. */
async function refusal(namespace: string, values: string): Promise<string> {
  const args = [
    '--dry-run=server',
    '--disable-openapi-validation',
    `--namespace=${namespace}`,
    `--set=${values}`,
  ];
  const rendered = await helm.run('template', release.name, chart, ...args).then(
    () => '',
    (error: unknown) => String(error),
  );
  const refused = /The operator in .*/.exec(rendered)?.[0];
  // Behind the templates Helm looks for the kinds, which the stub has not.
  if (refused === undefined && !rendered.includes('resource mapping not found')) throw new Error(rendered);
  return refused ?? '';
}

const withoutPools = 'controllers=*\\,-node-pool';
const two = { 'team-a': { namespaces: ['edge', 'lab'], pools: true }, 'team-b': { namespaces: ['south'] } };
const servesLab = 'The operator in team-a serves the namespace lab already (ClusterRole atoll.team-a).';
const forAll = { namespace: 'atoll-system', binding: 'atoll-controller-every-controller' };
const forAllAsIn010 = { ...forAll, binding: 'atoll' };
const servesAll = 'The operator in atoll-system serves all namespaces already (ClusterRoleBinding atoll';
const servesPools = 'The operator in team-a looks after pools and nodes already (ClusterRole atoll.team-a)';

it.each<readonly [string, typeof limited, typeof unlimited, string, string, string]>([
  ['alone', {}, undefined, 'atoll-system', 'replicas=1', ''],
  ['beside others with other namespaces', two, undefined, 'team-c', `namespaces={north},${withoutPools}`, ''],
  [
    'with a namespace of another',
    two,
    undefined,
    'team-c',
    `namespaces={north,lab},${withoutPools}`,
    servesLab,
  ],
  ['with pools beside one that has them', two, undefined, 'team-c', 'namespaces={north}', servesPools],
  [
    'for all beside limited ones',
    two,
    undefined,
    'team-c',
    withoutPools,
    'The operator in team-a serves the namespace edge',
  ],
  ['upgraded as it is', two, undefined, 'team-a', 'namespaces={edge,lab}', ''],
  [
    'upgraded with more namespaces',
    two,
    undefined,
    'team-b',
    `namespaces={south,lab},${withoutPools}`,
    servesLab,
  ],
  [
    'limited beside one for all',
    {},
    forAll,
    'team-a',
    'namespaces={edge}',
    `${servesAll}-controller-every-controller).`,
  ],
  [
    'limited beside one for all, of 0.1.0',
    {},
    forAllAsIn010,
    'team-a',
    'namespaces={edge}',
    `${servesAll}).`,
  ],
  [
    'limited beside one for all with an account of another name',
    {},
    { ...forAll, account: 'own' },
    'team-a',
    'namespaces={edge}',
    `${servesAll}-controller-every-controller).`,
  ],
  [
    'for all, upgraded with an account of another name',
    {},
    { ...forAll, account: 'own' },
    'atoll-system',
    'serviceAccount.name=own',
    '',
  ],
  ['for all, upgraded', {}, forAll, 'atoll-system', 'replicas=1', ''],
  ['for all, upgraded from 0.1.0', {}, forAllAsIn010, 'atoll-system', 'replicas=1', ''],
  ['from all to some', {}, forAll, 'atoll-system', 'namespaces={edge}', ''],
  ['that is not to be looked at', two, undefined, 'team-c', 'namespaces={lab},checkOverlap=false', ''],
])('a release %s', async (_, installed, ofAll, namespace, values, expected) => {
  [limited, unlimited] = [installed, ofAll];
  const refused = await refusal(namespace, values);
  expect([refused === '', refused]).toEqual([expected === '', expect.stringContaining(expected)]);
});
