import { webhookPath, type WebhookKind } from '@atoll/api';
import { projectionOfPaths, type KubeObject } from '@atoll/kube';
import { AdmissionReviewError, type AdmissionHandler } from '@atoll/kube/webhook';
import type { KindDefinition } from '../definitions/kind-definition.ts';
import { annotationWarnings } from './annotation-warnings.ts';
import type { AdmissionContext, ExplainedAnnotation, KindWebhooks } from './kind-webhooks.ts';

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

/** What is registered for these kinds. */
export function registeredKinds(kinds: readonly AdmittedKind[]): readonly WebhookKind[] {
  return kinds.map(({ resource, webhooks: { defaults, annotations } }) => ({
    resource,
    lacks: defaults?.lacks,
    annotations,
  }));
}

/** Names of the caches that the webhooks of these kinds read. */
export function admissionReads(kinds: readonly AdmittedKind[]): readonly string[] {
  return kinds.flatMap(({ webhooks }) => webhooks.reads);
}

/** The status of a workload names every pool, and no webhook looks at it. */
export const reviewedFields = projectionOfPaths<KubeObject>(['metadata', 'spec']);

/**
 * The webhooks of these kinds, by path. `limitedTo`: objects of other namespaces are waved through, whatever configuration asks:
 * one from before the limit stays in the cluster until somebody deletes it.
 */
export function admissionHandlers(
  kinds: readonly AdmittedKind[],
  context: AdmissionContext,
  limitedTo?: readonly string[],
): Readonly<Record<string, AdmissionHandler>> {
  const handlers: Record<string, AdmissionHandler> = {};
  for (const { resource, webhooks } of kinds) {
    const { defaults, annotations = [], validate } = webhooks;
    const limited = (handler: AdmissionHandler): AdmissionHandler =>
      limitedTo === undefined ? handler : onlyIn(limitedTo, handler);
    if (defaults !== undefined) handlers[webhookPath('mutate', resource)] = limited(defaults.mutate(context));
    handlers[webhookPath('validate', resource)] = limited(
      onlyComplete(warningOf(annotations, validate(context))),
    );
  }
  return handlers;
}

/** Whatever else the request changes, or not. */
function warningOf(annotations: readonly ExplainedAnnotation[], handler: AdmissionHandler): AdmissionHandler {
  return async (request, signal) => {
    const { object, oldObject } = request;
    const answer = await handler(request, signal);
    if (object === undefined || object.metadata.deletionTimestamp !== undefined) return answer;
    const warnings = annotationWarnings(annotations, object, oldObject);
    return warnings.length === 0
      ? answer
      : { ...answer, warnings: [...warnings, ...(answer.warnings ?? [])] };
  };
}

/** What is in no namespace is judged wherever the operator works. */
function onlyIn(namespaces: readonly string[], handler: AdmissionHandler): AdmissionHandler {
  return async (request, ...more) => {
    const { namespace } = request;
    const isElsewhere = namespace !== undefined && namespace !== '' && !namespaces.includes(namespace);
    return isElsewhere ? { allowed: true } : handler(request, ...more);
  };
}

/**
 * An object that is validated has its name and its uid: the API server fills both in before it asks. Children are named after them, so of
 * an object without them there is nothing to try; somebody else has sent it.
 */
function onlyComplete(handler: AdmissionHandler): AdmissionHandler {
  return async (request, signal) => {
    const metadata: Readonly<Record<string, unknown>> = { ...request.object?.metadata };
    for (const field of request.object === undefined ? [] : ['name', 'uid']) {
      if (typeof metadata[field] !== 'string' || metadata[field] === '')
        throw new AdmissionReviewError(
          `the object has no metadata.${field}, which the API server sends with every object that is validated`,
        );
    }
    return handler(request, signal);
  };
}
