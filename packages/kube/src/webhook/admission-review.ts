import { isFields } from '../values/fields.ts';
import { shortened } from '../values/shortened.ts';
import type { ApiStatus } from '../client/api-error.ts';
import type { JsonPatchOperation } from '../client/client.ts';
import { Compactor } from '../decoder/compactor.ts';
import { DecodeError } from '../decoder/decode-error.ts';
import { field, type FieldTree } from '../decoder/field-tree.ts';
import type { Projection } from '../decoder/projection.ts';
import type { KubeObject } from '../objects/object.ts';

/** The request of an `admission.k8s.io/v1` AdmissionReview. */
export interface AdmissionRequest<T extends KubeObject = KubeObject> {
  readonly uid: string;
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly subResource?: string;
  /** Absent where the API server is to make a name. */
  readonly name?: string;
  readonly namespace?: string;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly userInfo: { readonly username?: string; readonly groups?: readonly string[] };
  /** Absent for DELETE. */
  readonly object?: T;
  /** Absent for CREATE. */
  readonly oldObject?: T;
  readonly dryRun?: boolean;
}

/** Names a kind in one version. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Names a resource in one version. */
export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** A webhook's answer to a request. */
export type AdmissionAnswer =
  | {
      readonly allowed: true;
      readonly warnings?: readonly string[];
      /** Of mutating webhooks only. */
      readonly patch?: readonly JsonPatchOperation[];
    }
  | {
      readonly allowed: false;
      readonly warnings?: readonly string[];
      /** The API server hands it to the user, its message behind the name of the webhook. */
      readonly status: ApiStatus;
    };

/** What is sent is no AdmissionReview v1 request, or has an object that the API server would not send. Its message is answered, with 400. */
export class AdmissionReviewError extends Error {
  override readonly name = 'AdmissionReviewError';
}

const apiVersion = 'admission.k8s.io/v1';
/** One warning above 256 characters may be cut at its end, and of all only 4096 characters are sent on. Source: the API reference. */
const longestWarning = 256;
const allWarnings = 4096;

/**
 * Reads AdmissionReviews. What the projection does not keep of the two objects never becomes one: the status of an
 * object can be a thousand times larger than what a webhook looks at, and comes twice. One reader at a time reads one
 * review.
 */
export class AdmissionReviewReader {
  readonly #tree: FieldTree;
  readonly #compactor = new Compactor();

  constructor({ tree }: Projection<KubeObject>) {
    const request = { otherwise: 'keep', fields: [field('object', tree), field('oldObject', tree)] } as const;
    this.#tree = { otherwise: 'keep', fields: [field('request', request)] };
  }

  /** Throws an {@link AdmissionReviewError} where the bytes are not a request of version v1. */
  read(bytes: Buffer): AdmissionRequest {
    const review = this.#parse(bytes);
    if (!isFields(review) || review['kind'] !== 'AdmissionReview' || review['apiVersion'] !== apiVersion) {
      throw new AdmissionReviewError(`the body is no ${apiVersion} AdmissionReview`);
    }
    const { request } = review;
    if (
      !isFields(request) ||
      typeof request['uid'] !== 'string' ||
      typeof request['operation'] !== 'string'
    ) {
      throw new AdmissionReviewError('the AdmissionReview has no request with a uid and an operation');
    }
    if (!isFields(request['object']) && !isFields(request['oldObject'])) {
      throw new AdmissionReviewError('the request has neither an object nor an old object');
    }
    // Absent objects are null on the wire.
    const fields = Object.entries(request).filter(([, value]) => value !== null);
    return { userInfo: {}, ...Object.fromEntries(fields) } as unknown as AdmissionRequest;
  }

  #parse(bytes: Buffer): unknown {
    try {
      return JSON.parse(this.#compactor.compact(bytes, 0, bytes.length, this.#tree));
    } catch (error) {
      if (!(error instanceof SyntaxError) && !(error instanceof DecodeError)) throw error;
      throw new AdmissionReviewError('the body is no JSON', { cause: error });
    }
  }
}

/** The AdmissionReview that answers the request with this uid. */
export function writeAdmissionReview(uid: string, answer: AdmissionAnswer): string {
  const warnings = bounded(answer.warnings ?? []);
  const response = {
    uid,
    allowed: answer.allowed,
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(answer.allowed ? patchOf(answer.patch) : { status: answer.status }),
  };
  return JSON.stringify({ apiVersion, kind: 'AdmissionReview', response });
}

function patchOf(patch: readonly JsonPatchOperation[] | undefined): object {
  if (patch === undefined || patch.length === 0) return {};
  return { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') };
}

function bounded(warnings: readonly string[]): readonly string[] {
  const kept: string[] = [];
  let room = allWarnings;
  for (const warning of warnings) {
    const text = shortened(warning, longestWarning);
    room -= text.length;
    if (room < 0) break;
    kept.push(text);
  }
  return kept;
}
