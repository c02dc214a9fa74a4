import {
  canaryFailurePolicies,
  canaryPromotionPolicies,
  extendedDaemonSetAnnotations as annotations,
} from '@atoll/api';
import { onByTrue } from '../annotation-warnings.ts';
import type { KindWebhooks } from '../kind-webhooks.ts';
import { validateExtendedDaemonSet } from './validate-extended-daemon-set.ts';

export const extendedDaemonSetWebhooks: KindWebhooks = {
  reads: ['extendedDaemonSets', 'nodes'],
  annotations: [
    {
      name: annotations.onCanaryFailure,
      values: Object.values(canaryFailurePolicies),
      otherwise: canaryFailurePolicies.revert,
    },
    {
      name: annotations.canaryPromotion,
      values: Object.values(canaryPromotionPolicies),
      otherwise: canaryPromotionPolicies.whenHealthy,
    },
    onByTrue(annotations.canaryPaused),
    onByTrue(annotations.canaryUnpaused),
    onByTrue(annotations.rollingUpdatePaused),
    onByTrue(annotations.rolloutFrozen),
  ],
  validate: (context) => async (request) => validateExtendedDaemonSet(context, request),
};
