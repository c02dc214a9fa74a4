import type { ExtendedDaemonsetSetting } from '@atoll/api';
import { fieldsOf } from '@atoll/kube';

/** The name of the object that a setting is for; empty where it names none, or in a form that cannot be read. */
export function referencedBy({ spec }: Pick<ExtendedDaemonsetSetting, 'spec'>): string {
  const { name } = fieldsOf(fieldsOf(spec)['reference']);
  return typeof name === 'string' ? name : '';
}
