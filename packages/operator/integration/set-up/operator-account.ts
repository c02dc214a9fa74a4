import { operatorNames } from '@atoll/api';
import { serviceAccountUser } from '@atoll/kube';

export const operatorAccount = {
  namespace: operatorNames.namespace,
  name: operatorNames.serviceAccount,
};

/** The operator as the audit log names it. */
export const operatorUser = serviceAccountUser(operatorAccount.namespace, operatorAccount.name);
