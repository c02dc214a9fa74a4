import { operatorNames } from '@atoll/api';

export const operatorAccount = {
  namespace: operatorNames.namespace,
  name: operatorNames.serviceAccount,
};

/** The operator as the audit log names it. */
export const operatorUser = `system:serviceaccount:${operatorAccount.namespace}:${operatorAccount.name}`;
