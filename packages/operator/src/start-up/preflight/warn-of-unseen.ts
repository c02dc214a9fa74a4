import type { Logger } from '@atoll/kube';
import type { KindDefinition } from '../../definitions/kind-definition.ts';

/** Of an operator that is limited to namespaces: what its controllers would look for in others, each once. */
export function warnOfUnseen(
  selected: readonly Pick<KindDefinition, 'name' | 'unseenElsewhere'>[],
  logger: Pick<Logger, 'warn'>,
): void {
  for (const { name: controller, unseenElsewhere } of selected) {
    if (unseenElsewhere !== undefined)
      logger.warn({ controller, unseenElsewhere }, 'limited to namespaces, so this is not seen in others');
  }
}
