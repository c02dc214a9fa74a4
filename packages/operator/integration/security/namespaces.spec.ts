// An operator that may use some namespaces only, on a real API server that refuses it everything else.
import { cloneSets, labels, nodePools, operatorNames, yurtAppDaemons } from '@atoll/api';
import { limitedRbacObjects } from '@atoll/api/install';
import {
  clusterRoles,
  createClient,
  deployments,
  isApiError,
  loadKubeconfig,
  namespaces,
  nodes,
  pods,
  roles,
  secrets,
  subjectAccessReviews,
  validatingWebhookConfigurations,
  type ClusterRole,
  type PolicyRule,
  type Role,
  type StreamingClient,
} from '@atoll/kube';
import type { RunningOperator } from '@atoll/testbed';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kindDefinitions } from '../../src/definitions/kind-definitions.ts';
import { controllerRules } from '../../src/install/cluster-role-rules.ts';
import { rightsOfRules } from '../../src/install/rights-of-rules.ts';
import { neededRights } from '../../src/start-up/preflight/needed-rights.ts';
import { preflight } from '../../src/start-up/preflight/preflight.ts';
import {
  describeRequest,
  grant,
  makeNamespace,
  requestsOf,
  startLimited,
  userOf,
  type LimitedOperator,
} from '../set-up/limited-operator.ts';
import { apply, daemon, pool } from '../set-up/objects.ts';
import type { OperatorControlPlane } from '../set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../set-up/shared-operator-control-plane.ts';
import { conditionsOf, eventsAbout, eventually } from '../set-up/standing.ts';

const served = ['--webhook-bind-address', '127.0.0.1:0', '--webhook-url', 'https://127.0.0.1:0'];
const everyPool = { tier: 'limited' };
const onByDefault = kindDefinitions.filter((definition) => definition.onByDefault);
const first: LimitedOperator = {
  ownNamespace: 'team-a',
  namespaces: ['edge', 'lab'],
  definitions: onByDefault,
};
const second: LimitedOperator = {
  ownNamespace: 'team-b',
  namespaces: ['south'],
  definitions: onByDefault.filter(({ name }) => name !== 'node-pool'),
};

let world: OperatorControlPlane;
let client: StreamingClient;
let operator: RunningOperator;

beforeAll(async () => {
  world = await sharedOperatorControlPlane({ fleet: { pools: ['hz'], nodesPerPool: 1 } });
  ({ client } = world);
  for (const name of ['edge', 'elsewhere', 'south']) {
    await makeNamespace(client, name);
    await workload(name);
  }
  await apply(client, nodePools, pool('hz', everyPool));
  await grant(client, first);
  operator = await startLimited(world.controlPlane, first, ...served);
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

/** `web` in this namespace, a Deployment in each pool. */
async function workload(namespace: string, image = 'nginx:1.27'): Promise<void> {
  const object = daemon({ name: 'web', pools: everyPool, image });
  await apply(client, yurtAppDaemons, { ...object, metadata: { namespace, name: 'web' } });
}

async function isRolledOut(namespace: string, image = 'nginx:1.27'): Promise<void> {
  await eventually(async () => {
    const { items } = await client.list(deployments, { namespace });
    expect(items.map(({ spec }) => spec?.template.spec?.containers[0]?.image)).toEqual([image]);
    const conditions = await conditionsOf(client, yurtAppDaemons, 'web', namespace);
    expect(conditions['Ready'], operator.lastWords()).toMatchObject({ status: 'True' });
  });
}

function log(of: RunningOperator = operator): readonly Readonly<Record<string, unknown>>[] {
  const lines = readFileSync(of.logFile, 'utf8').split('\n');
  return lines
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('an operator that is limited to namespaces', () => {
  it('rolls out a workload in one of them, and leaves one elsewhere alone, without ever being refused', async () => {
    await isRolledOut('edge');
    expect((await client.list(deployments, { namespace: 'elsewhere' })).items).toEqual([]);
    // Its status is what the schema fills in.
    const { status } = await client.get(yurtAppDaemons, { namespace: 'elsewhere', name: 'web' });
    expect(status?.conditions).toMatchObject([{ reason: 'NotYetObserved' }]);
    const requests = requestsOf(world.controlPlane, first);
    expect(requests.length).toBeGreaterThan(50);
    expect(requests.filter(({ code }) => code === 403).map(describeRequest)).toEqual([]);
    const places = new Set(requests.map(({ namespace = '' }) => namespace));
    // Events about pools are in `default`, and the Lease is in its own.
    expect([...places].filter((each) => !['', 'edge', 'lab', 'team-a', 'default'].includes(each))).toEqual(
      [],
    );
    expect(JSON.stringify(log())).not.toContain('orbidden');
  });

  it('watches nothing of what is in namespaces in the whole cluster', async () => {
    await eventually(async () => expect((await fetch(`${operator.url}/readyz`)).ok).toBe(true));
    await eventually(async () => {
      const watched = requestsOf(world.controlPlane, first).filter(
        ({ verb }) => verb === 'watch' || verb === 'list',
      );
      const everywhere = watched
        .filter(({ namespace = '' }) => namespace === '')
        .map(({ resource }) => resource);
      expect([...new Set(everywhere)].toSorted()).toEqual([
        'customresourcedefinitions.apiextensions.k8s.io',
        'mutatingwebhookconfigurations.admissionregistration.k8s.io',
        'namespaces',
        'nodepools.apps.openyurt.io',
        'nodes',
        'validatingadmissionpolicybindings.admissionregistration.k8s.io',
        'validatingwebhookconfigurations.admissionregistration.k8s.io',
      ]);
    });
  });

  it.each([
    ['get', pods, ''],
    ['list', deployments, ''],
    ['create', pods, ''],
    ['patch', yurtAppDaemons, 'status'],
    ['get', secrets, ''],
  ])('may do nothing in another namespace: %s', async (verb, { group, plural }, subresource) => {
    const attributes = { verb, group, resource: plural, subresource };
    const may = async (namespace: string): Promise<boolean> => {
      const spec = { user: userOf(first), resourceAttributes: { ...attributes, namespace } };
      const { status } = await client.create(subjectAccessReviews, { metadata: { name: '' }, spec });
      return status?.allowed === true;
    };
    expect([await may('edge'), await may('elsewhere')]).toEqual([plural !== 'secrets', false]);
  });

  it('is asked by the API server about objects of its namespaces only', async () => {
    const refusal = async (namespace: string): Promise<string | undefined> => {
      const object = {
        ...daemon({ name: 'bad', pools: everyPool, image: '' }),
        metadata: { namespace, name: 'bad' },
      };
      return client.create(yurtAppDaemons, object, { dryRun: true }).then(
        () => undefined,
        (error: unknown) => (isApiError(error) ? error.message : Promise.reject(error as Error)),
      );
    };
    await eventually(async () =>
      expect(await refusal('edge')).toContain('yurtappdaemons.validate.atoll.dev'),
    );
    expect(await refusal('elsewhere')).toBeUndefined();
    const name = `${operatorNames.webhookConfiguration}.team-a`;
    const { webhooks = [] } = await client.get(validatingWebhookConfigurations, { name });
    for (const { rules, namespaceSelector } of webhooks.filter(
      (each) => each.rules?.[0]?.scope === 'Namespaced',
    ))
      expect([rules?.[0]?.resources, namespaceSelector?.matchExpressions?.[0]?.values]).toEqual([
        rules?.[0]?.resources,
        ['edge', 'lab'],
      ]);
  });

  it('waits for a namespace that does not exist, logs that, and serves it when it comes', async () => {
    await eventually(async () => {
      expect(log()).toContainEqual(
        expect.objectContaining({ namespace: 'lab', msg: 'the namespace does not exist, waiting for it' }),
      );
      const metrics = await fetch(`${operator.url}/metrics`).then(async (answer) => answer.text());
      expect(metrics).toContain('atoll_namespace_served{namespace="edge",state="served"} 1');
      expect(metrics).toContain('atoll_namespace_served{namespace="lab",state="absent"} 0');
      expect((await fetch(`${operator.url}/readyz`)).ok).toBe(true);
    });
    await comes('lab');
    await isRolledOut('lab');
  });

  it('goes on in the others while one is deleted, and serves it again when it is back', async () => {
    await client.delete(namespaces, { name: 'lab' });
    await workload('edge', 'nginx:1.28');
    await isRolledOut('edge', 'nginx:1.28');
    await eventually(async () =>
      expect(
        await client
          .get(namespaces, { name: 'lab' })
          .catch((error: unknown) => isApiError(error, 'NotFound')),
      ).toBe(true),
    );
    // It sees that through a watch of its own.
    await eventually(async () =>
      expect(log()).toContainEqual(
        expect.objectContaining({
          namespace: 'lab',
          msg: 'the namespace is gone or being deleted, waiting until it is there again',
        }),
      ),
    );
    await comes('lab');
    await isRolledOut('lab');
  });

  it('names a right that is missing in a namespace that comes after the start', async () => {
    await client.delete(namespaces, { name: 'lab' });
    await eventually(async () =>
      expect(await client.get(namespaces, { name: 'lab' }).catch(() => 'gone')).toBe('gone'),
    );
    await makeNamespace(client, 'lab');
    await grant(client, first, 'delete');
    await eventually(async () => {
      const named = log().filter(({ namespace, missing }) => namespace === 'lab' && missing !== undefined);
      expect(String(named.at(-1)?.['missing'])).toContain('delete deployments.apps in lab');
    });
  });
});

/** The namespace with the roles of the operator and a workload. */
async function comes(namespace: string): Promise<void> {
  await eventually(async () => makeNamespace(client, namespace));
  await grant(client, first);
  await workload(namespace);
}

describe('two operators with namespaces of their own', () => {
  it('do not get in the way of each other, and one of them looks after pools', async () => {
    await grant(client, second);
    const other = await startLimited(world.controlPlane, second);
    await isRolledOut('south');
    await workload('south', 'nginx:1.28');
    await workload('edge', 'nginx:1.27');
    await isRolledOut('south', 'nginx:1.28');
    await isRolledOut('edge', 'nginx:1.27');
    await apply(client, nodePools, pool('hz', everyPool, { labels: { seen: 'yes' } }));
    await eventually(async () => {
      const conditions = await conditionsOf(client, nodePools, 'hz');
      expect(conditions['Ready']).toMatchObject({ status: 'True' });
    });
    // An event about a node is in `default`, where only the first has to write.
    const [node = ''] = await world.controlPlane.addNodes({ nodes: 1 });
    await world.controlPlane.labelNodes([node], { [labels.nodePool]: 'nowhere' });
    await eventually(async () =>
      expect(await eventsAbout(client, node)).toContainEqual(
        expect.objectContaining({ reason: 'PoolNotFound' }),
      ),
    );
    // In `lab` roles came after the namespace, and one of them lacked a verb.
    const refused = requestsOf(world.controlPlane, first).filter(
      ({ code, namespace }) => code === 403 && namespace !== 'lab',
    );
    expect(refused.map(describeRequest)).toEqual([]);
    const written = (by: LimitedOperator): readonly string[] => {
      const writes = requestsOf(world.controlPlane, by).filter(
        ({ verb }) => !['get', 'list', 'watch'].includes(verb),
      );
      return [...new Set(writes.map(({ namespace = '', resource }) => namespace || resource))].toSorted();
    };
    expect(written(first)).not.toContain('south');
    expect(written(second).filter((each) => !each.endsWith('reviews.authorization.k8s.io'))).toEqual([
      'south',
      'team-b',
    ]);
    expect(
      requestsOf(world.controlPlane, second)
        .filter(({ code }) => code === 403)
        .map(describeRequest),
    ).toEqual([]);
    await other.kill('SIGTERM');
  });
});

describe('the token of an operator that is limited to namespaces', () => {
  it.each([
    ['may change nodes where it runs node-pool', first, true],
    ['may not change nodes where it does not', second, false],
  ] as const)('%s', async (_, limited, may) => {
    await grant(client, limited);
    const resourceAttributes = { verb: 'patch', resource: nodes.plural };
    const spec = { user: userOf(limited), resourceAttributes };
    await eventually(async () => {
      const { status } = await client.create(subjectAccessReviews, { metadata: { name: '' }, spec });
      expect(status?.allowed === true).toBe(may);
    });
  });
});

describe('the roles of an operator that is limited to namespaces', () => {
  const account = { namespace: 'team-c', name: operatorNames.serviceAccount };
  let alone: StreamingClient;

  beforeAll(async () => {
    const kubeconfig = await world.controlPlane.kubeconfigFor(account);
    alone = createClient(await loadKubeconfig({ path: kubeconfig }), { userAgent: 'alone' });
  });

  afterAll(async () => {
    await alone?.close();
  });

  it.each(kindDefinitions.map((definition) => [definition.name, definition] as const))(
    'let the controller %s start, and without any one rule it does not, and names the place',
    async (_, definition) => {
      const limited = { ownNamespace: 'team-c', namespaces: ['south'], definitions: [definition] };
      await grant(client, limited);
      const refusal = async (): Promise<string> =>
        preflight(alone, 'here', neededRights([definition], ['south']), AbortSignal.timeout(30_000)).then(
          () => 'it may start',
          (error: unknown) => String(error),
        );
      await eventually(async () => expect(await refusal()).toBe('it may start'));
      const bound = limitedRbacObjects({ ...limited, controllers: [controllerRules(definition)] });
      for (const { resource, object } of bound) {
        if (object.kind !== 'Role' && object.kind !== 'ClusterRole') continue;
        const { rules = [], metadata } = object as Role | ClusterRole;
        if (metadata.namespace === 'default') continue;
        const where = object.kind === 'Role' ? { namespace: 'south' } : {};
        const key = { ...where, name: metadata.name };
        const to = async (now: readonly PolicyRule[]): Promise<void> => {
          await client.patch(object.kind === 'Role' ? roles : clusterRoles, key, {
            type: 'merge',
            body: { rules: now },
          });
        };
        for (const rule of rules.filter(isAskedFor)) {
          await to(rules.filter((each) => each !== rule));
          await eventually(async () => {
            const said = await refusal();
            for (const right of rightsOfRules([rule])) {
              const [, objects = '', name = ''] = right.split(' ');
              expect(said, resource.plural).toContain(
                object.kind === 'Role' ? `${objects} in south` : `${objects} ${name}`.trimEnd(),
              );
            }
          });
        }
        await to(rules);
      }
      await eventually(async () => expect(await refusal()).toBe('it may start'));
    },
  );
});

/** Not events, metrics' tokens, webhooks and `finalizers`: without these everything else goes on; nor kinds that are not installed here. */
function isAskedFor({ resources = [], resourceNames = [], apiGroups = [] }: PolicyRule): boolean {
  const ofKruise = apiGroups.includes(cloneSets.group) ? [cloneSets.plural] : [];
  const unasked = ['events', 'tokenreviews', 'subjectaccessreviews', ...ofKruise];
  const isOfWebhooks = resourceNames.some((name) =>
    name.startsWith(`${operatorNames.webhookConfiguration}.`),
  );
  return !isOfWebhooks && !resources.some((each) => unasked.includes(each) || each.endsWith('/finalizers'));
}
