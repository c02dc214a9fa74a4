import type { KnownAnnotation } from '@atoll/api';
import type { Clock, KubeObject, MatchCondition } from '@atoll/kube';
import {
  jsonPatchBetween,
  type AdmissionAnswer,
  type AdmissionHandler,
  type AdmissionRequest,
} from '@atoll/kube/webhook';
import type { Readers } from '../caches.ts';
import type { ObjectDefaults } from '../definitions/kind-definition.ts';
import type { TryChildren } from './trials/try-children.ts';

/** What webhooks may ask. */
export interface AdmissionContext {
  readonly readers: Readers;
  readonly tries: TryChildren;
  readonly clock: Clock;
  readonly objectDefaults: ObjectDefaults;
}

/** What fills in defaults. */
export interface DefaultingWebhook {
  /** The API server asks only where these hold: where nothing is to be filled in, an object would travel twice. */
  readonly lacks: readonly MatchCondition[];
  readonly mutate: (context: AdmissionContext) => AdmissionHandler;
}

export interface ExplainedAnnotation extends KnownAnnotation {
  /** What any other value counts as. */
  readonly otherwise: string;
}

/** The webhooks of a kind: they fill in defaults and validate. */
export interface KindWebhooks {
  /** Names of the kind's caches that the answers depend on: the webhooks are registered once these are synced. */
  readonly reads: readonly string[];
  /** Absent: the spec is never rewritten. */
  readonly defaults?: DefaultingWebhook;
  /** A value that none of them can have gets a warning. */
  readonly annotations?: readonly ExplainedAnnotation[];
  readonly validate: (context: AdmissionContext) => AdmissionHandler;
}

/** Fills in defaults. An object that is being deleted is left as it is: nothing may stand in the way of its end. */
export function defaulted<T extends KubeObject>(
  { object, oldObject }: AdmissionRequest,
  fill: (object: T) => T,
  warn?: (object: T, old: T | undefined) => readonly string[],
): AdmissionAnswer {
  if (object === undefined || object.metadata.deletionTimestamp !== undefined) return { allowed: true };
  const filled = fill(object as T);
  const warnings = warn?.(object as T, oldObject as T | undefined) ?? [];
  return { allowed: true, warnings, patch: jsonPatchBetween(object, filled) };
}
