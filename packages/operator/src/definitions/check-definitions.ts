import { groupResourceOf } from '@atoll/kube';
import { cacheNamesOf, declaredCaches } from './declared-caches.ts';
import type { KindDefinition } from './kind-definition.ts';

/**
 * Throws where the definitions do not fit together: a cache or a controller of the same name twice, or a resource that a controller
 * writes and whose writes go into no cache, so that its next plan would not see them.
 */
export function checkDefinitions(definitions: readonly KindDefinition[]): void {
  declaredCaches(definitions);
  const names = new Set<string>();
  for (const definition of definitions) {
    const { name, resource } = definition;
    if (names.has(name)) throw new Error(`two kinds are called ${name}`);
    names.add(name);
    if (cacheNamesOf(definition, resource).length === 0) {
      throw new Error(
        `${name} reads no cache of its own kind ${groupResourceOf(resource)}: add one to "reads"`,
      );
    }
    for (const write of definition.writes) checkWrite(definition, write);
  }
}

function checkWrite(
  definition: KindDefinition,
  { resource, seenIn }: KindDefinition['writes'][number],
): void {
  const written = groupResourceOf(resource);
  const cached = cacheNamesOf(definition, resource);
  const [only, second] = cached;
  if (only === undefined) {
    throw new Error(
      `${definition.name} writes ${written} and reads no cache of it, so its next plan would not see the write: add a cache to "reads"`,
    );
  }
  if (seenIn !== undefined && !cached.includes(seenIn)) {
    throw new Error(
      `${definition.name} declares that it sees its writes of ${written} in ${seenIn}, and reads only ${cached.join(', ')} of it`,
    );
  }
  if (second !== undefined && seenIn === undefined) {
    throw new Error(
      `${definition.name} writes ${written} and reads several caches of it (${cached.join(', ')}): name in "seenIn" the one that holds what it writes`,
    );
  }
}
