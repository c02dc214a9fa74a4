import type { Service } from '@atoll/kube';
import { componentName, operatorNames } from '../names.ts';
import { ownLabels } from './own-labels.ts';

/** Leads to every replica of the operator: each serves the webhooks, leader or not. */
export const webhookService: Service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    name: operatorNames.webhookService,
    namespace: operatorNames.namespace,
    labels: ownLabels,
  },
  spec: {
    selector: { 'app.kubernetes.io/name': componentName, 'app.kubernetes.io/component': 'operator' },
    ports: [{ name: 'webhooks', port: 443, targetPort: 9443, protocol: 'TCP' }],
  },
};
