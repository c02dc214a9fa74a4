import type { Installation } from '@atoll/api/install';
import type { KindDefinition } from '../definitions/kind-definition.ts';
import { kindDefinitions } from '../definitions/kind-definitions.ts';
import { controllerRules } from './cluster-role-rules.ts';

/** What has to be installed in a cluster so that an operator with these kinds can run. */
export async function installationOf(
  definitions: readonly KindDefinition[],
): Promise<Required<Installation>> {
  const kinds = await Promise.all(
    definitions.map(async ({ schema, parts }) => [
      ...(schema === undefined ? [] : [await schema()]),
      ...(parts === undefined ? [] : await parts()),
    ]),
  );
  return { kinds: kinds.flat(), controllers: definitions.map(controllerRules) };
}

/** For the operator as it is shipped. */
export const shippedInstallation: Required<Installation> = await installationOf(kindDefinitions);
