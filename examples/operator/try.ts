// `npm run try`: the operator beside a real API server of this machine, until one Website has its ConfigMap.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as kube from '@atoll/kube';
import { startControlPlane } from '@atoll/testbed';

const websites: kube.Resource<kube.KubeObject & { readonly spec: object }> = {
  group: 'example.dev',
  version: 'v1',
  namespaced: true,
  kind: 'Website',
  plural: 'websites',
};
const metadata = { namespace: 'default', name: 'shop' };

await using controlPlane = await startControlPlane({ components: [], onProgress: console.error });
const access = await kube.loadKubeconfig({ path: controlPlane.kubeconfig });
const client = kube.createClient(access, { userAgent: 'try' });
const operator = spawn(process.execPath, [join(import.meta.dirname, 'website-operator.js')], {
  env: { ...process.env, KUBECONFIG: controlPlane.kubeconfig, HEALTH_ADDRESS: '127.0.0.1:0' },
  stdio: ['ignore', 'inherit', 'inherit'],
});
const ended = once(operator, 'exit');
try {
  const signal = AbortSignal.timeout(60_000);
  let pages: unknown;
  while (pages === undefined) {
    await delay(200, undefined, { signal });
    try {
      const website = { metadata, spec: { pages: { 'index.html': 'Welcome' } } };
      await client.apply(websites, website, { fieldManager: 'try', signal });
      pages = (await client.get(kube.configMaps, metadata, { signal })).data;
    } catch (error) {
      // The operator installs its kind first, and then makes the ConfigMap.
      if (!kube.isApiError(error, 'NotFound') && !kube.isApiError(error, 'NotServed')) throw error;
    }
  }
  console.log(`ConfigMap ${metadata.name}: ${JSON.stringify(pages)}`);
} finally {
  operator.kill('SIGTERM');
  await ended;
  await client.close();
}
