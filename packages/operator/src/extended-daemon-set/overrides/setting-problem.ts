import type { ExtendedDaemonsetSetting } from '@atoll/api';
import type { WrittenResources } from './read-resources.ts';
import { resourceProblem } from './resource-problem.ts';

type Overrides = NonNullable<ExtendedDaemonsetSetting['spec']['containers']>;

/** Printable ASCII without `=`, as the API server asks for. */
const variableName = /^[ -<>-~]+$/;

/** Why the API server would refuse every pod that is made with the setting, with the field; undefined: it would not. */
export function settingProblem({
  containers = [],
  initContainers = [],
}: ExtendedDaemonsetSetting['spec']): string | undefined {
  return problemIn('spec.containers', containers) ?? problemIn('spec.initContainers', initContainers);
}

function problemIn(path: string, overrides: Overrides): string | undefined {
  for (const { name, resources, env = [] } of overrides) {
    const problem = resources === undefined ? undefined : resourceProblem(resources as WrittenResources);
    if (problem !== undefined) return `${path}[${name}].resources.${problem}`;
    const variable = env.find((each) => !variableName.test(each.name));
    if (variable !== undefined)
      return `${path}[${name}].env has a variable ${JSON.stringify(variable.name)}; its name must be printable ASCII without =`;
  }
  return undefined;
}
