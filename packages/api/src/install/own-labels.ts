import { componentName, labels } from '../names.ts';

/** Of everything that is installed. */
export const ownLabels = { 'app.kubernetes.io/name': componentName, [labels.managedBy]: componentName };

/** Of what is installed for node agents. */
export const agentLabels = {
  'app.kubernetes.io/name': componentName,
  'app.kubernetes.io/component': 'agent',
  [labels.managedBy]: componentName,
};
