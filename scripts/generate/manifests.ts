import {
  agentObjects,
  crdObjects,
  installObjects,
  kruisePolicyObjects,
  operatorObjects,
  policyObjects,
  rbacObjects,
  webhookObjects,
} from '@atoll/api/install';
import { shippedInstallation } from '@atoll/operator/install';
import { chartCopies, chartTemplates } from './chart.ts';
import { manifest, type Manifest } from './manifest.ts';

/** All of it with the operator in pods, in the order in which `kubectl apply -f` is to send it. */
export const installFile = 'deploy/install.yaml';

/** What some clusters want in addition; `npm start` does not apply it. */
export const optionalFolder = 'deploy/optional';

/** The manifests below `deploy/`, for `kubectl apply --server-side -f`; the same objects that `npm start` applies, and optional ones. */
export function manifests(): readonly Manifest[] {
  const definitions = crdObjects(shippedInstallation).map((crd) => {
    const [plural, ...group] = crd.object.metadata.name.split('.');
    return manifest(`deploy/crds/${group.join('.')}_${plural}.yaml`, [crd]);
  });
  return [
    ...definitions,
    manifest('deploy/policies.yaml', policyObjects()),
    manifest('deploy/rbac.yaml', rbacObjects(shippedInstallation)),
    manifest('deploy/webhooks.yaml', webhookObjects()),
    manifest(installFile, [...installObjects(shippedInstallation), ...operatorObjects()]),
    ...chartTemplates(),
    ...chartCopies(definitions),
    manifest(`${optionalFolder}/agent.yaml`, agentObjects()),
    manifest(`${optionalFolder}/kruise-kept-off.yaml`, kruisePolicyObjects()),
    manifest(`${optionalFolder}/operator.yaml`, operatorObjects()),
  ];
}
