import { describe, expect, it } from 'vitest';
import type { ValidatingWebhookConfiguration } from '@atoll/kube';
import { removalOf, webhooksOfNodes } from './old-webhooks.ts';

type Webhook = NonNullable<ValidatingWebhookConfiguration['webhooks']>[number];

function webhook(name: string, resource: string, rest: Partial<Webhook> = {}): Webhook {
  return {
    name,
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    clientConfig: {},
    rules: [
      {
        apiGroups: ['apps.openyurt.io'],
        apiVersions: ['v1beta1'],
        operations: ['UPDATE'],
        resources: [resource],
      },
    ],
    ...rest,
  };
}

function configuration(
  webhooks: readonly Webhook[],
  labels: Readonly<Record<string, string>> = {},
): ValidatingWebhookConfiguration {
  return { metadata: { name: 'yurt-manager', labels }, webhooks };
}

const type = 'validatingwebhookconfiguration';

describe('the removal of webhooks of old', () => {
  it('deletes a configuration that has nothing else', () => {
    const found = configuration([
      webhook('v.nodepool.kb.io', 'nodepools'),
      webhook('v.yad', 'yurtappdaemons'),
    ]);
    expect(removalOf(type, found)).toEqual(['kubectl delete validatingwebhookconfiguration yurt-manager']);
  });

  it('takes only its own out of a configuration that serves other kinds, last first and by name', () => {
    const found = configuration([
      webhook('v.nodepool.kb.io', 'nodepools'),
      webhook('v.static', 'yurtstaticsets'),
      webhook('v.yad', 'yurtappdaemons'),
    ]);
    expect(removalOf(type, found)).toEqual([
      'kubectl patch validatingwebhookconfiguration yurt-manager --type=json -p ' +
        `'[{"op":"test","path":"/webhooks/2/name","value":"v.yad"},{"op":"remove","path":"/webhooks/2"},` +
        `{"op":"test","path":"/webhooks/0/name","value":"v.nodepool.kb.io"},{"op":"remove","path":"/webhooks/0"}]'`,
    ]);
  });

  it('takes out the one that renders children anew, though it fails no write', () => {
    const rules = [
      {
        apiGroups: ['apps'],
        apiVersions: ['v1'],
        operations: ['CREATE', 'UPDATE'],
        resources: ['deployments'],
      },
    ];
    const render = { rules, failurePolicy: 'Ignore' };
    const found = configuration([
      webhook('mutate.apps.v1.deployment', 'deployments', render),
      webhook('mutate.core.v1.pod.openyurt.io', 'pods', render),
    ]);
    expect(removalOf('mutatingwebhookconfiguration', found)).toEqual([
      'kubectl patch mutatingwebhookconfiguration yurt-manager --type=json -p ' +
        `'[{"op":"test","path":"/webhooks/0/name","value":"mutate.apps.v1.deployment"},{"op":"remove","path":"/webhooks/0"}]'`,
    ]);
  });

  it.each([
    ['do not fail writes', configuration([webhook('v', 'nodepools', { failurePolicy: 'Ignore' })])],
    ['are about other kinds', configuration([webhook('v', 'yurtstaticsets')])],
    [
      'are a policy engine’s for every group',
      configuration([
        webhook('v', '*', {
          rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] }],
        }),
      ]),
    ],
    ['are ours', configuration([webhook('v', 'nodepools')], { 'app.kubernetes.io/managed-by': 'atoll' })],
  ])('leaves alone those that %s', (_, found) => {
    expect(removalOf(type, found)).toEqual([]);
  });
});

it('names the webhook of yurt-manager that refuses changes of nodes, and removes it not', () => {
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['nodes'] }];
  const found = configuration([
    webhook('validate.core.v1.node.openyurt.io', 'nodes', { rules, failurePolicy: 'Ignore' }),
    webhook('validate.nodes.example.com', 'nodes', { rules }),
  ]);
  expect(webhooksOfNodes(found)).toEqual([
    'validate.core.v1.node.openyurt.io of validatingwebhookconfiguration yurt-manager',
  ]);
  expect(removalOf(type, found)).toEqual([]);
});
