import { fieldManagers } from '@atoll/api';
import {
  mutatingWebhookConfiguration,
  validatingWebhookConfiguration,
  type WebhookAddress,
  type WebhookKind,
} from '@atoll/api';
import {
  containsWanted,
  isApiError,
  mutatingWebhookConfigurations,
  sleep,
  validatingWebhookConfigurations,
  type Client,
  type Clock,
  type KubeObject,
  type Logger,
  type Part,
  type Resource,
} from '@atoll/kube';
import type { WebhookService, WebhookStanding } from '@atoll/kube/webhook';

export interface WebhookRegistrationOptions {
  /** Needs `get`, `create` and `patch` on the two configurations of our name. */
  readonly client: Pick<Client, 'get' | 'apply'>;
  readonly service: Pick<WebhookService, 'subscribe'>;
  readonly namespace: string;
  /** The namespaces whose objects are judged; undefined: all. */
  readonly limitedTo?: readonly string[] | undefined;
  readonly kinds: readonly WebhookKind[];
  /** Of a process outside of the cluster; port 0 stands for the port that is served. */
  readonly url: string | undefined;
  readonly injectCaFrom: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

const recheckMs = 60_000;
const retryMs = 5_000;

/**
 * Keeps the two webhook configurations of our name as they have to be, while this process leads: once requests can be
 * answered, whenever the trusted authorities change, and where somebody changed or deleted them, within a minute.
 * Configurations of others are not looked at.
 */
export class WebhookRegistration implements Part {
  readonly name = 'webhook registration';
  readonly #options: WebhookRegistrationOptions;
  #standing: WebhookStanding | undefined;

  constructor(options: WebhookRegistrationOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    let changed = new AbortController();
    const unsubscribe = this.#options.service.subscribe((standing) => {
      this.#standing = standing;
      changed.abort();
    });
    while (!signal.aborted) {
      changed = new AbortController();
      const wait = await this.#keep(signal);
      await sleep(this.#options.clock, wait, AbortSignal.any([signal, changed.signal]));
    }
    unsubscribe();
  }

  /** Yields how long to wait. Never rejects: without webhooks everything else goes on. */
  async #keep(signal: AbortSignal): Promise<number> {
    if (this.#standing === undefined) return recheckMs;
    const address = this.#address(this.#standing);
    const { kinds } = this.#options;
    try {
      await this.#put(mutatingWebhookConfigurations, mutatingWebhookConfiguration(address, kinds), signal);
      await this.#put(
        validatingWebhookConfigurations,
        validatingWebhookConfiguration(address, kinds),
        signal,
      );
      return recheckMs;
    } catch (error) {
      if (!signal.aborted) this.#options.logger.warn({ err: error }, 'webhooks cannot be registered');
      return retryMs;
    }
  }

  #address({ port, trustBundle }: WebhookStanding): WebhookAddress {
    const { namespace, limitedTo, url, injectCaFrom } = this.#options;
    const where = url === undefined ? {} : { url: withPort(url, port) };
    return { namespace, limitedTo, trustBundle, injectCaFrom, ...where };
  }

  async #put<T extends KubeObject>(resource: Resource<T>, wanted: T, signal: AbortSignal): Promise<void> {
    const { client, logger } = this.#options;
    const { name } = wanted.metadata;
    if (containsWanted(await this.#read(resource, name, signal), wanted)) return;
    const { atoll: fieldManager } = fieldManagers;
    await client.apply(resource, wanted, { fieldManager, force: true, signal });
    logger.info({ configuration: `${resource.plural} ${name}` }, 'webhooks registered');
  }

  async #read<T extends KubeObject>(resource: Resource<T>, name: string, signal: AbortSignal) {
    try {
      return await this.#options.client.get(resource, { name }, { signal });
    } catch (error) {
      if (isApiError(error, 'NotFound')) return undefined;
      throw error;
    }
  }
}

function withPort(url: string, port: number): string {
  const parsed = new URL(url);
  if (parsed.port === '0') parsed.port = String(port);
  return parsed.href;
}
