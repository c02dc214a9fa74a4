import type {
  ApiError,
  DeleteOptions,
  JsonPatchOperation,
  KubeObject,
  ObjectKey,
  Patch,
  Resource,
  Stored,
} from '@atoll/kube';
import type { Condition } from '@atoll/api';
import { keyOf } from '@atoll/kube';
import type { Step } from '../../step.ts';

/** A step that goes to the API server. */
export type WriteStep = Exclude<Step, { readonly do: 'event' }>;

/** One request, as data: what the executor sends and what the model of the API server answers. */
export type Request =
  | { readonly verb: 'get'; readonly resource: Resource<KubeObject>; readonly key: ObjectKey }
  | {
      readonly verb: 'create';
      readonly resource: Resource<KubeObject>;
      readonly object: KubeObject;
      readonly dryRun?: true;
    }
  | { readonly verb: 'create-by-apply'; readonly resource: Resource<KubeObject>; readonly object: KubeObject }
  | {
      readonly verb: 'apply';
      readonly resource: Resource<KubeObject>;
      readonly object: KubeObject;
      readonly dryRun?: true;
    }
  | {
      readonly verb: 'patch';
      readonly resource: Resource<KubeObject>;
      readonly key: ObjectKey;
      readonly patch: Patch;
      readonly subresource?: string;
    }
  | {
      readonly verb: 'apply-conditions';
      readonly resource: Resource<KubeObject>;
      readonly key: ObjectKey;
      readonly uid: string;
      readonly conditions: readonly Condition[];
      readonly fieldManager: string;
    }
  | {
      readonly verb: 'delete';
      readonly resource: Resource<KubeObject>;
      readonly key: ObjectKey;
      readonly options: Pick<DeleteOptions, 'uid' | 'resourceVersion' | 'propagationPolicy'>;
      readonly evict?: true;
    };

/** What came back; no object where an immediate deletion succeeded. */
export type Answer =
  | { readonly ok: true; readonly object: Stored<KubeObject> | undefined }
  | { readonly ok: false; readonly error: ApiError };

/** The object that a step is about. */
export function targetOf(step: WriteStep): {
  readonly resource: Resource<KubeObject>;
  readonly key: ObjectKey;
} {
  switch (step.do) {
    case 'create':
    case 'try':
    case 'apply':
      return { resource: step.resource, key: keyOf(step.object) };
    case 'patch':
    case 'conditions':
    case 'delete':
      return { resource: step.resource, key: step.key };
  }
}

/** The request of a step, with all its preconditions: every write names the uid of what it changes. */
export function requestFor(step: WriteStep): Request {
  switch (step.do) {
    case 'create':
      return {
        verb: step.managed === 'apply' ? 'create-by-apply' : 'create',
        resource: step.resource,
        object: step.object,
      };
    case 'try': {
      const { resource, object, uid } = step;
      if (uid === undefined) return { verb: 'create', resource, object, dryRun: true };
      // Without a version: nothing is changed, so it does not matter that a status moves meanwhile.
      return {
        verb: 'apply',
        resource,
        object: { ...object, metadata: { ...object.metadata, uid } },
        dryRun: true,
      };
    }
    case 'apply': {
      const { uid, resourceVersion } = step;
      const metadata = { ...step.object.metadata, uid, resourceVersion };
      return { verb: 'apply', resource: step.resource, object: { ...step.object, metadata } };
    }
    case 'patch':
      return {
        verb: 'patch',
        resource: step.resource,
        key: step.key,
        patch: withPreconditions(step.patch, step.uid, step.resourceVersion),
        ...(step.subresource === undefined ? {} : { subresource: step.subresource }),
      };
    case 'conditions': {
      const { resource, key, uid, conditions, fieldManager } = step;
      return { verb: 'apply-conditions', resource, key, uid, conditions, fieldManager };
    }
    case 'delete':
      return {
        verb: 'delete',
        resource: step.resource,
        key: step.key,
        options: {
          uid: step.uid,
          propagationPolicy: step.propagation,
          ...(step.resourceVersion === undefined ? {} : { resourceVersion: step.resourceVersion }),
        },
        ...(step.evict === undefined ? {} : { evict: step.evict }),
      };
  }
}

/**
 * A patch has no options for preconditions; uid and resourceVersion in its body are compared by the API server with
 * the stored object (409, or 422 naming `metadata.uid`).
 */
function withPreconditions(patch: Patch, uid: string, resourceVersion: string): Patch {
  if (patch.type === 'json') {
    // Replaced, not tested: a failed test is a 422 that names no field, which a bad patch looks like too.
    const same: readonly JsonPatchOperation[] = [
      { op: 'replace', path: '/metadata/uid', value: uid },
      { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
    ];
    return { type: 'json', body: [...same, ...patch.body] };
  }
  const body = (patch.body ?? {}) as { readonly metadata?: object };
  return { type: patch.type, body: { ...body, metadata: { ...body.metadata, uid, resourceVersion } } };
}
