// The roles of the operator on a real API server: every rule is missed when it is gone, and every binding.
import { operatorNames } from '@atoll/api';
import { operatorClusterRoles, operatorRoleOf } from '@atoll/api/install';
import {
  clusterRoleBindings,
  clusterRoles,
  controllerRevisions,
  createClient,
  loadKubeconfig,
  podTemplates,
  type KubeObject,
  type PolicyRule,
  type Resource,
  type StreamingClient,
} from '@atoll/kube';
import { startControlPlane, type ControlPlane } from '@atoll/testbed';
import { installKruiseKinds } from '@atoll/testbed/kruise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kindDefinitions } from '../../src/definitions/kind-definitions.ts';
import type { KindDefinition } from '../../src/definitions/kind-definition.ts';
import { shippedInstallation } from '../../src/install/installation.ts';
import { rightsOfRules } from '../../src/install/rights-of-rules.ts';
import { neededRights } from '../../src/start-up/preflight/needed-rights.ts';
import { preflight } from '../../src/start-up/preflight/preflight.ts';
import { installedStore } from '../set-up/installed-store.ts';
import { eventually } from '../set-up/standing.ts';

/** An account that has one role, and that role changes from test to test. */
const account = { namespace: 'default', name: 'alone' };
const role = 'spec-alone';
const [, ...ofControllers] = operatorClusterRoles(shippedInstallation.controllers);

let controlPlane: ControlPlane;
let client: StreamingClient;
let alone: StreamingClient;

beforeAll(async () => {
  controlPlane = await startControlPlane({
    store: await installedStore(),
    apiServerFlags: { 'enable-admission-plugins': 'OwnerReferencesPermissionEnforcement' },
    components: ['kube-controller-manager'],
    controllerManagerFlags: { controllers: ['serviceaccount-controller'] },
  });
  client = createClient(await loadKubeconfig({ path: controlPlane.kubeconfig }), { userAgent: 'spec' });
  // Rights to these kinds are asked for only where they are.
  await installKruiseKinds(client);
  const kubeconfig = await controlPlane.kubeconfigFor(account);
  alone = createClient(await loadKubeconfig({ path: kubeconfig }), { userAgent: 'alone' });
  await client.create(clusterRoles, { metadata: { name: role }, rules: [] });
  await client.create(clusterRoleBindings, {
    metadata: { name: role },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  });
});

afterAll(async () => {
  await alone?.close();
  await client?.close();
  await controlPlane?.stop();
});

/** Under the account that is installed. */
async function operatorsClient(): Promise<StreamingClient> {
  const { namespace, serviceAccount } = operatorNames;
  const kubeconfig = await controlPlane.kubeconfigFor({ namespace, name: serviceAccount });
  return createClient(await loadKubeconfig({ path: kubeconfig }), { userAgent: 'spec' });
}

function definitionOf(controller: string): KindDefinition {
  const found = kindDefinitions.find(({ name }) => name === controller);
  if (found === undefined) throw new Error(`no controller ${controller}`);
  return found;
}

async function allow(rules: readonly PolicyRule[]): Promise<void> {
  await client.patch(clusterRoles, { name: role }, { type: 'merge', body: { rules } });
}

/** What the preflight of an operator with this controller alone says; undefined: it may start. */
async function refusal(definition: KindDefinition, of = alone): Promise<string | undefined> {
  const signal = AbortSignal.timeout(30_000);
  return preflight(of, 'here', neededRights([definition]), signal).then(
    () => undefined,
    (error: unknown) => String(error),
  );
}

describe.each(
  kindDefinitions.map((definition, index) => ({ definition, rules: ofControllers[index]?.rules ?? [] })),
)('the role of the controller $definition.name', ({ definition, rules }) => {
  it('lets it start, and without any one rule it does not', async () => {
    // An operator starts without `finalizers`, and fails when it writes a child: below.
    const asked = rules.filter((rule) => !isOfFinalizers(rule));
    for (const rule of asked) {
      await allow(rules.filter((each) => each !== rule));
      await eventually(async () => {
        const said = (await refusal(definition)) ?? 'it may start';
        for (const right of rightsOfRules([rule])) {
          const [verb = '', objects = '', name = ''] = right.split(' ');
          expect(said).toContain(`${objects} ${name}`.trimEnd());
          expect(said).toContain(verb);
        }
      });
    }
    await allow(rules);
    await eventually(async () => expect(await refusal(definition)).toBeUndefined());
  });
});

describe.each(
  kindDefinitions.flatMap((definition, index) =>
    ownersOf(definition).map((owner) => ({ owner, rules: ofControllers[index]?.rules ?? [] })),
  ),
)('the right to finalizers of $owner.plural', ({ owner, rules }) => {
  it('is asked for by OwnerReferencesPermissionEnforcement when a child is created', async () => {
    await allow(rules);
    await eventually(async () => expect(await refusalOfChild(owner, rules)).toBeUndefined());
    await allow(withoutFinalizersOf(owner, rules));
    await eventually(async () =>
      expect(await refusalOfChild(owner, rules)).toContain('cannot set blockOwnerDeletion'),
    );
  });
});

function isOfFinalizers({ resources = [] }: PolicyRule): boolean {
  return resources.some((each) => each.endsWith('/finalizers'));
}

/** The kinds whose objects the children of this controller name as owners. */
function ownersOf({ resource, ownsChildren = [] }: KindDefinition): readonly Resource<KubeObject>[] {
  return ownsChildren === true ? [resource] : ownsChildren;
}

function withoutFinalizersOf(
  { group, plural }: Resource<KubeObject>,
  rules: readonly PolicyRule[],
): readonly PolicyRule[] {
  const isLeft = (resource: string, { apiGroups = [] }: PolicyRule): boolean =>
    !(apiGroups.includes(group) && resource === `${plural}/finalizers`);
  return rules
    .map((rule) => ({ ...rule, resources: rule.resources?.filter((each) => isLeft(each, rule)) ?? [] }))
    .filter(({ resources }) => resources.length > 0);
}

/** Why the account may not create a child of this owner; undefined: it may. */
async function refusalOfChild(
  { group, version, kind }: Resource<KubeObject>,
  rules: readonly PolicyRule[],
): Promise<string | undefined> {
  const owner = { apiVersion: `${group}/${version}`, kind, name: 'owner', uid: 'b6a4e6a0-owner' };
  const metadata = {
    namespace: account.namespace,
    name: 'child',
    ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
  };
  const ofTemplates = rightsOfRules(rules).includes('create podtemplates');
  const creation = ofTemplates
    ? alone.create(
        podTemplates,
        { metadata, template: { spec: { containers: [{ name: 'web', image: 'nginx:1.27' }] } } },
        { dryRun: true },
      )
    : alone.create(controllerRevisions, { metadata, revision: 1, data: {} }, { dryRun: true });
  return creation.then(
    () => undefined,
    (error: unknown) => String(error),
  );
}

describe('the binding of a controller', () => {
  it('gives the operator the rights of that controller, and takes no others away when it is deleted', async () => {
    const [kept, removed] = [definitionOf('node-pool'), definitionOf('extended-daemon-set')];
    const operator = await operatorsClient();
    try {
      await eventually(async () => {
        expect(await refusal(removed, operator)).toBeUndefined();
        expect(await refusal(kept, operator)).toBeUndefined();
      });
      const binding = { name: operatorRoleOf(removed.name) };
      await client.delete(clusterRoleBindings, binding);
      await eventually(async () =>
        expect(await refusal(removed, operator)).toContain('extendeddaemonsets.datadoghq.com'),
      );
      expect(await refusal(kept, operator)).toBeUndefined();
    } finally {
      await operator.close();
    }
  });
});
