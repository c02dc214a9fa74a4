import { webhookPath } from '@atoll/api';
import { projectionOfPaths, type KubeObject } from '@atoll/kube';
import type { AdmissionHandler } from '@atoll/kube/webhook';
import type { KindDefinition } from '../definitions/kind-definition.ts';
import type { AdmissionContext, KindWebhooks } from './kind-webhooks.ts';

/** A kind that has webhooks. */
export interface AdmittedKind extends Pick<KindDefinition, 'resource'> {
  readonly webhooks: KindWebhooks;
}

/** The kinds that have webhooks while their controllers run: where another operator works on a kind, ours is silent. */
export function admittedKinds(
  definitions: readonly Pick<KindDefinition, 'resource' | 'webhooks'>[],
): readonly AdmittedKind[] {
  return definitions.flatMap(({ resource, webhooks }) =>
    webhooks === undefined ? [] : [{ resource, webhooks }],
  );
}

/** Names of the caches that the webhooks of these kinds read. */
export function admissionReads(kinds: readonly AdmittedKind[]): readonly string[] {
  return kinds.flatMap(({ webhooks }) => webhooks.reads);
}

/** The status of a workload names every pool, and no webhook looks at it. */
export const reviewedFields = projectionOfPaths<KubeObject>(['metadata', 'spec']);

/** The webhooks of these kinds, by path. */
export function admissionHandlers(
  kinds: readonly AdmittedKind[],
  context: AdmissionContext,
): Readonly<Record<string, AdmissionHandler>> {
  const handlers: Record<string, AdmissionHandler> = {};
  for (const { resource, webhooks } of kinds) {
    const { defaults, validate } = webhooks;
    if (defaults !== undefined) handlers[webhookPath('mutate', resource)] = defaults.mutate(context);
    handlers[webhookPath('validate', resource)] = validate(context);
  }
  return handlers;
}
