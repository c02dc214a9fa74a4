import type { KindWebhooks } from '../kind-webhooks.ts';
import { validateExtendedDaemonSet } from './validate-extended-daemon-set.ts';

export const extendedDaemonSetWebhooks: KindWebhooks = {
  reads: ['extendedDaemonSets', 'nodes'],
  validate: (context) => async (request) => validateExtendedDaemonSet(context, request),
};
