import type { Logger, Part, ServedNamespace, StreamingClient } from '@atoll/kube';
import type { NeededRight } from './preflight.ts';
import { refusedRights } from './review-rights.ts';

export interface RightsInNewNamespacesOptions {
  readonly client: Pick<StreamingClient, 'raw'>;
  readonly namespaces: readonly Pick<ServedNamespace, 'name' | 'settled' | 'subscribe'>[];
  /** Everything that the preflight asks for. */
  readonly rights: readonly NeededRight[];
  readonly logger: Logger;
}

/**
 * Names the rights that are missing in a namespace that comes after the start, as the preflight does for those that were there: a
 * role that lacks a verb would else be found with the first write that needs it.
 */
export function rightsInNewNamespaces(options: RightsInNewNamespacesOptions): Part {
  const { namespaces, logger } = options;
  return {
    name: 'rights in new namespaces',
    run: async (signal) => {
      const stops = namespaces.map((namespace) => {
        let isNew = false;
        // What is served from the beginning is shown before that is settled.
        void namespace.settled.then(() => (isNew = true));
        const shown = (): void => {
          if (!isNew) return;
          review(namespace.name, options, signal).catch((error: unknown) => {
            if (!signal.aborted)
              logger.warn({ err: error, namespace: namespace.name }, 'rights cannot be reviewed');
          });
        };
        return namespace.subscribe({ shown, hidden: () => undefined });
      });
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        else signal.addEventListener('abort', () => resolve(), { once: true });
      });
      for (const stop of stops) stop();
    },
  };
}

async function review(
  name: string,
  { client, rights, logger }: RightsInNewNamespacesOptions,
  signal: AbortSignal,
): Promise<void> {
  const there = rights.filter(({ ifThere, namespace }) => ifThere === true && namespace === name);
  const { missing, because } = await refusedRights(client, there, signal);
  if (missing.length > 0)
    logger.warn(
      {
        namespace: name,
        missing: missing.join('; '),
        ...(because.length === 0 ? {} : { because: because.join('; ') }),
      },
      'rights are missing in the namespace, and what needs them is refused',
    );
}
