// The webhook of ExtendedDaemonSet on a real API server that calls it in an operator beside it. Pods need a ServiceAccount, which a controller makes.
import { extendedDaemonSets, type ExtendedDaemonSet } from '@atoll/api';
import { createClient, isApiError, loadKubeconfig, type StreamingClient } from '@atoll/kube';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { withoutElection, type OperatorControlPlane } from '../set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../set-up/shared-operator-control-plane.ts';
import { eventually } from '../set-up/standing.ts';

const namespace = 'default';
const args = [
  ...withoutElection,
  '--controllers=extended-daemon-set',
  '--canary-validation-mode=manual',
  '--webhook-bind-address=127.0.0.1:0',
  '--webhook-url=https://127.0.0.1:0',
];

let world: OperatorControlPlane;
let client: StreamingClient;
let warned: string[] = [];

function object(container: object, strategy: object = {}): ExtendedDaemonSet {
  const containers = [{ name: 'agent', image: 'agent:1', ...container }];
  return {
    metadata: { namespace, name: 'agent' },
    spec: { strategy, template: { spec: { containers } } },
  } as ExtendedDaemonSet;
}

/** Why a dry run of a person's create is refused; empty where it is not. */
async function refusalOf(wanted: ExtendedDaemonSet): Promise<string> {
  warned = [];
  try {
    await client.create(extendedDaemonSets, wanted, { dryRun: true });
    return '';
  } catch (error) {
    if (!isApiError(error) || error.fate !== 'refused') throw error;
    return error.message;
  }
}

/** The API server sees a registration through a watch. */
async function isAsked(): Promise<void> {
  expect(await refusalOf(object({ image: '' }))).toContain('validate.atoll.dev');
}

beforeAll(async () => {
  world = await sharedOperatorControlPlane({});
  const access = await loadKubeconfig({ path: world.controlPlane.kubeconfig });
  client = createClient(access, { userAgent: 'user', onWarning: (text) => void warned.push(text) });
  await world.start({ args });
  await eventually(isAsked);
});

afterAll(async () => {
  await client?.close();
  await world?.[Symbol.asyncDispose]();
});

it('a good object is taken without a word, and its spec is not rewritten', async () => {
  expect([await refusalOf(object({})), warned]).toEqual(['', []]);
  const { spec } = await client.create(extendedDaemonSets, object({}), { dryRun: true });
  expect(spec).toEqual(object({}).spec);
});

it.each<[string, object, string]>([
  ['no image', { image: '' }, 'spec.template.spec.containers[0].image: Required value'],
  ['a typo', { imagePullPolicies: 'Always' }, 'imagePullPolicies'],
  [
    'a policy that there is not',
    { imagePullPolicy: 'Sometimes' },
    'spec.template.spec.containers[0].imagePullPolicy',
  ],
  [
    'a mount without a volume',
    { volumeMounts: [{ name: 'x', mountPath: '/x' }] },
    'volumeMounts[0].name: Not found',
  ],
  ['a port that is too high', { ports: [{ containerPort: 99_999 }] }, 'containerPort'],
])('a template with %s is refused, with its field', async (_, container, message) => {
  expect(await refusalOf(object(container))).toContain(message);
});

it('a strategy is read with the mode of the operator', async () => {
  const strategy = { canary: { autoFail: { canaryTimeout: '5m' } } };
  expect(await refusalOf(object({}, strategy))).toBe('');
  const auto = { canary: { ...strategy.canary, validationMode: 'auto' } };
  expect(await refusalOf(object({}, auto))).toContain('canaryTimeout');
});

it('a change that ends pods at once, because their nodes do not match it, is taken with a warning', async () => {
  const key = { namespace, name: 'agent' };
  await world.controlPlane.addNodes({ pools: ['edge'], nodesPerPool: 2 });
  await client.create(extendedDaemonSets, object({}));
  await eventually(async () =>
    expect(await client.get(extendedDaemonSets, key)).toMatchObject({ status: { current: 2 } }),
  );
  const body = { spec: { template: { spec: { nodeSelector: { disk: 'ssd' } } } } };
  await eventually(async () => {
    warned = [];
    await client.patch(extendedDaemonSets, key, { type: 'merge', body }, { dryRun: true });
    expect(warned).toContain(
      'this change deletes the pods of 2 of 2 nodes at once, which the new template does not fit: edge-node-1, edge-node-2',
    );
  });
});
