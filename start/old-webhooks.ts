import {
  labels,
  openYurtGroup,
  componentName,
  nodePools,
  unitedDaemonSets,
  yurtAppDaemons,
} from '@atoll/api';
import {
  isApiError,
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
  type Client,
  type MutatingWebhookConfiguration,
  type ValidatingWebhookConfiguration,
} from '@atoll/kube';

type WebhookConfiguration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;
type Webhook = NonNullable<WebhookConfiguration['webhooks']>[number];

const ourResources = new Set([nodePools.plural, unitedDaemonSets.plural, yurtAppDaemons.plural]);

/** Webhooks of an operator of old that are in the way (`reference/openyurt.md` 1.7). */
export interface OldWebhooks {
  /**
   * The kubectl commands that remove what still decides about writes to our kinds and their children: webhooks that refuse every write once that operator is
   * gone, because their failurePolicy is Fail, and the one that undoes ours.
   */
  readonly removals: readonly string[];
  /** Those that refuse changes of nodes while that operator runs: `validate.core.v1.node.openyurt.io of validatingwebhookconfiguration x`. */
  readonly ofNodes: readonly string[];
}

/** Empty where there are none, or where the user may not look. */
export async function oldWebhooks(client: Client, signal: AbortSignal): Promise<OldWebhooks> {
  try {
    const [mutating, validating] = await Promise.all([
      client.list(mutatingWebhookConfigurations, { signal }),
      client.list(validatingWebhookConfigurations, { signal }),
    ]);
    return {
      removals: [
        ...mutating.items.flatMap((item) => removalOf('mutatingwebhookconfiguration', item)),
        ...validating.items.flatMap((item) => removalOf('validatingwebhookconfiguration', item)),
      ],
      ofNodes: validating.items.flatMap(webhooksOfNodes),
    };
  } catch (error) {
    if (isApiError(error, 'Forbidden')) return { removals: [], ofNodes: [] };
    throw error;
  }
}

/**
 * The command for one configuration, where it is to be changed. One that also serves other kinds keeps those: each of
 * our webhooks is taken out by its place, last first, and only if it still carries the name that was seen there.
 */
export function removalOf(type: string, configuration: WebhookConfiguration): readonly string[] {
  const { metadata, webhooks = [] } = configuration;
  if (metadata.labels?.[labels.managedBy] === componentName) return [];
  const going = webhooks
    .map((webhook, index) => ({ webhook, index }))
    .filter(({ webhook }) => isToGo(webhook));
  if (going.length === 0) return [];
  if (going.length === webhooks.length) return [`kubectl delete ${type} ${metadata.name}`];
  const patch = going.toReversed().flatMap(({ webhook, index }) => [
    { op: 'test', path: `/webhooks/${index}/name`, value: webhook.name },
    { op: 'remove', path: `/webhooks/${index}` },
  ]);
  return [`kubectl patch ${type} ${metadata.name} --type=json -p '${JSON.stringify(patch)}'`];
}

/** Of yurt-manager from 1.4 on. Its failurePolicy is Ignore, so it refuses nothing once yurt-manager is stopped. */
const nodeWebhook = 'validate.core.v1.node.openyurt.io';

/** As {@link OldWebhooks} names them. */
export function webhooksOfNodes({ metadata, webhooks = [] }: WebhookConfiguration): readonly string[] {
  return webhooks
    .filter(({ name }) => name === nodeWebhook)
    .map(({ name }) => `${name} of validatingwebhookconfiguration ${metadata.name}`);
}

/**
 * Of yurt-manager 1.4 to 1.6: it renders the children of YurtAppDaemons anew with every write, so what we write would be undone.
 * Its failurePolicy is Ignore.
 */
const renderWebhook = 'mutate.apps.v1.deployment';

/** It names our group, so it was made for it; policy engines that match every group are left alone. */
function isToGo({ name, failurePolicy = 'Fail', rules = [] }: Webhook): boolean {
  if (name === renderWebhook) return true;
  return (
    failurePolicy === 'Fail' &&
    rules.some(
      ({ apiGroups = [], resources = [] }) =>
        apiGroups.includes(openYurtGroup) &&
        resources.some((resource) => resource === '*' || ourResources.has(resource.split('/', 1)[0] ?? '')),
    )
  );
}
