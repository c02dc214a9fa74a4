import type {
  KubeObject,
  MatchCondition,
  MutatingWebhookConfiguration,
  Resource,
  RuleWithOperations,
  ValidatingWebhookConfiguration,
  WebhookClientConfig,
} from '@atoll/kube';
import { operatorNames, webhookConfigurationName } from './names.ts';
import { ownLabels } from './install/own-labels.ts';

export type WebhookVerb = 'mutate' | 'validate';

/** An annotation that users set to one of a few values. */
export interface KnownAnnotation {
  readonly name: string;
  /** An empty one is as good as none. */
  readonly values: readonly string[];
}

/** A kind with webhooks: ours only, so that nothing of ours can refuse other people's writes. */
export interface WebhookKind {
  readonly resource: Resource<KubeObject>;
  /** The API server asks for defaults only where these hold. Absent: nothing is filled in. */
  readonly lacks?: readonly MatchCondition[] | undefined;
  /** The API server also asks where one of them gets a value that it cannot have. */
  readonly annotations?: readonly KnownAnnotation[] | undefined;
}

/** Seconds that a write may wait for us. */
const timeoutSeconds = 5;

/** Where the API server reaches the webhooks. */
export interface WebhookAddress {
  /** `https://host:port` of a process outside of the cluster; otherwise the Service. */
  readonly url?: string;
  /** PEM of the authorities to trust; undefined: somebody else fills it in, and it is left alone. */
  readonly trustBundle?: string | undefined;
  /** `namespace/name` of the cert-manager Certificate whose authority is to be filled in. */
  readonly injectCaFrom?: string | undefined;
  /** Namespace of the Service. */
  readonly namespace: string;
  /** The API server asks about objects of these namespaces only, and about what is in none; undefined: of all. */
  readonly limitedTo?: readonly string[] | undefined;
}

/** The path of a kind's webhook, as the old operators and kubebuilder spell it (`reference/openyurt.md` 1.7). */
export function webhookPath(verb: WebhookVerb, { group, version, kind }: Resource<KubeObject>): string {
  return `/${verb}-${group.replaceAll('.', '-')}-${version}-${kind.toLowerCase()}`;
}

/** What the operator registers: asked first, and again where another webhook changed the object after us. */
export function mutatingWebhookConfiguration(
  address: WebhookAddress,
  kinds: readonly WebhookKind[],
): MutatingWebhookConfiguration {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: metadataOf(address),
    webhooks: kinds.flatMap(({ resource, lacks }) =>
      lacks === undefined
        ? []
        : [
            {
              ...webhook('mutate', { resource }, address, lacks),
              reinvocationPolicy: 'IfNeeded' as const,
            },
          ],
    ),
  };
}

export function validatingWebhookConfiguration(
  address: WebhookAddress,
  kinds: readonly WebhookKind[],
): ValidatingWebhookConfiguration {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: metadataOf(address),
    webhooks: kinds.map((kind) => webhook('validate', kind, address, [])),
  };
}

function metadataOf({ injectCaFrom, namespace, limitedTo }: WebhookAddress): KubeObject['metadata'] {
  return {
    name: webhookConfigurationName(limitedTo === undefined ? undefined : namespace),
    labels: ownLabels,
    ...(injectCaFrom === undefined
      ? {}
      : { annotations: { 'cert-manager.io/inject-ca-from': injectCaFrom } }),
  };
}

function webhook(
  verb: WebhookVerb,
  { resource: kind, annotations }: WebhookKind,
  address: WebhookAddress,
  lacks: readonly MatchCondition[],
) {
  return {
    name: `${kind.plural}.${verb}.atoll.dev`,
    admissionReviewVersions: ['v1'],
    clientConfig: clientConfig(webhookPath(verb, kind), address),
    rules: [rule(kind)],
    ...(address.limitedTo === undefined || !kind.namespaced ? {} : onlyIn(address.limitedTo)),
    // While no operator answers, the schema's rules hold, and the condition shows what is refused later.
    failurePolicy: 'Ignore',
    matchConditions: [asksSomething(kind, annotations), ...lacks],
    // Other versions of the kind come to us converted to this one.
    matchPolicy: 'Equivalent',
    // Children are tried by dry run, which stores nothing.
    sideEffects: 'NoneOnDryRun',
    timeoutSeconds,
  } as const;
}

/**
 * Writes that we would only wave through do not wait for us: those of annotations, owners and finalizers, and the end
 * of an object. Of a pool the labels count too, and of an annotation a value that it cannot have.
 */
function asksSomething(
  { namespaced }: Resource<KubeObject>,
  annotations: readonly KnownAnnotation[] = [],
): MatchCondition {
  const changed = ['object.?spec != oldObject.?spec', ...annotations.map(isMisspelt)];
  if (!namespaced) changed.push('object.metadata.?labels != oldObject.metadata.?labels');
  return {
    name: 'asks-something',
    expression: `request.operation == 'CREATE' || (!has(object.metadata.deletionTimestamp) && (${changed.join(' || ')}))`,
  };
}

function isMisspelt({ name, values }: KnownAnnotation): string {
  const value = `metadata.?annotations[?'${name}'].orValue('')`;
  const known = ['', ...values].map((each) => `'${each}'`).join(', ');
  return `(!(object.${value} in [${known}]) && object.${value} != oldObject.${value})`;
}

/** The API server gives each namespace this label, and nobody can take it away. */
function onlyIn(namespaces: readonly string[]) {
  const isOneOfThem = { key: 'kubernetes.io/metadata.name', operator: 'In', values: namespaces };
  return { namespaceSelector: { matchExpressions: [isOneOfThem] } } as const;
}

function rule({ group, version, plural, namespaced }: Resource<KubeObject>): RuleWithOperations {
  return {
    apiGroups: [group],
    apiVersions: [version],
    operations: ['CREATE', 'UPDATE'],
    resources: [plural],
    scope: namespaced ? 'Namespaced' : 'Cluster',
  };
}

function clientConfig(path: string, { url, trustBundle, namespace }: WebhookAddress): WebhookClientConfig {
  const where =
    url === undefined
      ? { service: { namespace, name: operatorNames.webhookService, path, port: 443 } }
      : { url: `${url.replace(/\/+$/, '')}${path}` };
  if (trustBundle === undefined) return where;
  return { ...where, caBundle: Buffer.from(trustBundle).toString('base64') };
}
