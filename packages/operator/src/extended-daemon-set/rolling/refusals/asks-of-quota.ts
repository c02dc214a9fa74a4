import { canonicalJson, type Container, type PodTemplateSpec } from '@atoll/kube';
import { containersIn } from '../../overrides/pod-overrides.ts';

/** What a quota counts of a pod, or by which it is chosen for it, beside what is the same for all of a namespace. */
const countedFields = [
  'resources',
  'resourceClaims',
  'overhead',
  'runtimeClassName',
  'priorityClassName',
  'priority',
  'activeDeadlineSeconds',
  'affinity',
] as const;

/** Whether a pod of the one template fits where one of the other was, as far as quotas go. */
export function asksTheSameOfQuotas(a: PodTemplateSpec, b: PodTemplateSpec): boolean {
  return asksOf(a) === asksOf(b);
}

function asksOf({ spec }: PodTemplateSpec): string {
  const fields = (spec ?? {}) as Readonly<Record<string, unknown>>;
  const ofContainers = (containers: readonly (Container | null)[] | undefined): unknown =>
    containersIn(containers).map((each) => {
      const { resources, restartPolicy } = each as Container & { readonly restartPolicy?: unknown };
      return [resources ?? null, restartPolicy ?? null];
    });
  return canonicalJson([
    ofContainers(spec?.containers),
    ofContainers(spec?.initContainers),
    countedFields.map((name) => fields[name] ?? null),
  ]);
}
