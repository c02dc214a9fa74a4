import type { PolicyRule } from '@atoll/kube';

/** Every single right that rules give: `patch deployments.apps/status`, and `get secrets atoll-webhook` where it is limited to a name. */
export function rightsOfRules(rules: readonly PolicyRule[] = []): readonly string[] {
  return rules.flatMap(({ apiGroups = [], resources = [], resourceNames = [''], verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) => {
        const [plural = '', subresource] = resource.split('/');
        const objects = group === '' ? plural : `${plural}.${group}`;
        const whole = subresource === undefined ? objects : `${objects}/${subresource}`;
        return resourceNames.flatMap((name) => verbs.map((verb) => `${verb} ${whole} ${name}`.trimEnd()));
      }),
    ),
  );
}
