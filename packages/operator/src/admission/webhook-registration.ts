import { fieldManagers } from '@atoll/api';
import {
  mutatingWebhookConfiguration,
  validatingWebhookConfiguration,
  type WebhookAddress,
  type WebhookKind,
} from '@atoll/api';
import {
  containsWanted,
  createByApply,
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
  /** Whether this process may send a write at this moment; asked directly before each. */
  readonly mayWrite: () => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

const recheckMs = 60_000;
const retryMs = 5_000;
/** So often in a row somebody may write a configuration between our read and our write before that is logged. */
const oftenChanged = 3;

/**
 * Keeps the two webhook configurations of our name as they have to be, while this process leads: once requests can be
 * answered, whenever the trusted authorities change, and where somebody changed or deleted them, within a minute.
 * Configurations of others are not looked at.
 */
export class WebhookRegistration implements Part {
  readonly name = 'webhook registration';
  readonly #options: WebhookRegistrationOptions;
  #standing: WebhookStanding | undefined;
  /** How often in a row that was so. */
  #changes = 0;

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
    const { kinds, logger } = this.#options;
    const mutating = mutatingWebhookConfiguration(address, kinds);
    const validating = validatingWebhookConfiguration(address, kinds);
    try {
      const inOrder =
        (await this.#put(mutatingWebhookConfigurations, mutating, signal)) &&
        (await this.#put(validatingWebhookConfigurations, validating, signal));
      this.#changes = 0;
      return inOrder ? recheckMs : retryMs;
    } catch (error) {
      const wasChanged = isApiError(error, 'Conflict') || isApiError(error, 'AlreadyExists');
      this.#changes = wasChanged ? this.#changes + 1 : 0;
      const isNews = !wasChanged || this.#changes >= oftenChanged;
      if (!signal.aborted && isNews) logger.warn({ err: error }, 'webhooks cannot be registered');
      return retryMs;
    }
  }

  #address({ port, trustBundle }: WebhookStanding): WebhookAddress {
    const { namespace, limitedTo, url, injectCaFrom } = this.#options;
    const where = url === undefined ? {} : { url: withPort(url, port) };
    return { namespace, limitedTo, trustBundle, injectCaFrom, ...where };
  }

  /** Yields whether the configuration is as it has to be: not where nothing may be written at this moment. */
  async #put<T extends KubeObject>(resource: Resource<T>, wanted: T, signal: AbortSignal): Promise<boolean> {
    const { client, mayWrite, logger } = this.#options;
    const { name } = wanted.metadata;
    const found = await this.#read(resource, name, signal);
    if (containsWanted(found, wanted)) return true;
    if (!mayWrite()) return false;
    const options = { fieldManager: fieldManagers.atoll, force: true, signal };
    // Only what was read is changed: a write that is late must not undo that of the next leader.
    if (found === undefined) {
      await createByApply(client, resource, wanted, options);
    } else {
      const { resourceVersion } = found.metadata;
      await client.apply(resource, { ...wanted, metadata: { ...wanted.metadata, resourceVersion } }, options);
    }
    logger.info({ configuration: `${resource.plural} ${name}` }, 'webhooks registered');
    return true;
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
