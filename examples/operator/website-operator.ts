import * as kube from '@atoll/kube';
/** The pages of a Website become a ConfigMap of its name. */
interface Website extends kube.KubeObject {
  readonly spec: { readonly pages: Readonly<Record<string, string>> };
  readonly status?: { readonly conditions?: readonly kube.Condition[] };
}
const served = { group: 'example.dev', version: 'v1', namespaced: true };
const websites: kube.Resource<Website> = { ...served, kind: 'Website', plural: 'websites' };
const pages = { type: 'object', additionalProperties: { type: 'string' } };
const spec = { type: 'object', required: ['pages'], properties: { pages } };
const status = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const openAPIV3Schema = { type: 'object', required: ['spec'], properties: { spec, status } };
kube.exitOnError(process, 'website-operator');
const logger = kube.createPinoLogger({ format: 'text' });
const cluster = await kube.findCluster();
const client = kube.createClient(cluster, { userAgent: 'website-operator/1.0', logger });
const lease = { namespace: cluster.namespace ?? 'default', name: 'website' };
const informers = kube.createInformers({ client, logger });
const sites = informers.informer(websites);
const maps = informers.informer(kube.configMaps, {}, { labelSelector: `${served.group}/website` });
const controller = kube.createController({
  name: 'website',
  informer: sites,
  sources: [kube.owned(maps, websites)],
  logger,
  async reconcile(site, signal) {
    if (site.metadata.deletionTimestamp !== undefined) return;
    const key = kube.keyOf(site);
    const map = maps.cache.get(key);
    if (map === undefined || !kube.semanticallyEqual({ data: map.data }, { data: site.spec.pages })) {
      const labels = { [`${served.group}/website`]: kube.asLabelValue(key.name) };
      const ownerReferences = [kube.controllerReference(websites, site)];
      const wanted = { metadata: { ...key, labels, ownerReferences }, data: site.spec.pages };
      maps.cache.wrote(await client.apply(kube.configMaps, wanted, { fieldManager: 'website', signal }));
    }
    const message = `${Object.keys(site.spec.pages).length} pages`;
    const ready = { type: 'Ready', status: 'True', reason: 'Published', message } as const;
    const found = site.status?.conditions;
    const conditions = kube.mergeConditions(found, [ready], ['Ready'], site.metadata.generation, Date.now());
    if (kube.semanticallyEqual(found, conditions)) return;
    const patch = { type: 'merge', body: { status: { conditions } } } as const;
    sites.cache.wrote(await client.patch(websites, key, patch, { subresource: 'status', signal }));
  },
});

await new kube.Manager({
  logger,
  clock: kube.systemClock,
  informers,
  controllers: [controller],
  health: { address: process.env['HEALTH_ADDRESS'] ?? ':8081' },
  leaderElection: { client, lease, identity: crypto.randomUUID() },
  async preflight(signal) {
    const versions = [{ name: 'v1', storage: true, openAPIV3Schema }];
    const definition = kube.buildDefinition({ resource: websites, versions });
    await client.apply(kube.customResourceDefinitions, definition, { fieldManager: 'website', signal });
    await kube.untilServed(client, [definition.metadata.name], { signal });
  },
}).run(kube.terminationSignal(process, logger));
await client.close();
