import { annotations, subsetRemovals, unitedDeployments, type UnitedDeployment } from '@atoll/api';
import { onByTrue } from '../annotation-warnings.ts';
import { defaulted, type KindWebhooks } from '../kind-webhooks.ts';
import { defaultingWarnings, defaultUnitedDeployment } from './default-united-deployment.ts';
import { validateUnitedDeployment } from './validate-united-deployment.ts';

const subsets = 'object.?spec.?topology.?subsets.orValue([])';

/** A UnitedDeployment is asked for its total and for its lower bounds. */
const lacksNumber = [
  '!object.?spec.?replicas.hasValue()',
  // The total follows the subsets as long as they decide.
  `object.metadata.?annotations[?'${annotations.totalOfSubsets}'].hasValue()`,
  `object.?spec.?updateStrategy.?type.orValue('Manual') == ''`,
  `(${subsets}.exists(s, has(s.minReplicas) || has(s.maxReplicas)) && ${subsets}.exists(s, !has(s.minReplicas)))`,
];

export const unitedDeploymentWebhooks: KindWebhooks = {
  reads: ['deployments', 'statefulSets', 'advancedStatefulSets', 'cloneSets'],
  defaults: {
    lacks: [{ name: 'lacks-a-number', expression: lacksNumber.join(' || ') }],
    mutate: () => async (request) =>
      defaulted<UnitedDeployment>(request, defaultUnitedDeployment, defaultingWarnings),
  },
  annotations: [
    {
      name: annotations.subsetRemoval,
      values: Object.values(subsetRemovals),
      otherwise: subsetRemovals.afterReplacement,
    },
    onByTrue(annotations.applyTemplate),
  ],
  validate: (context) => async (request) =>
    validateUnitedDeployment({ ...context, resource: unitedDeployments }, request),
};
