import type { Instant } from '@atoll/kube';

/** Conditions under which a request was to be carried out. */
export interface Preconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** One request as the API server's audit log shows it. */
export interface AuditEntry {
  readonly id: string;
  readonly level: 'Metadata' | 'Request' | 'RequestResponse';
  /** When the API server received the request. */
  readonly receivedAt: Instant;
  /** When it was answered; of a watch: when the stream began. */
  readonly at: Instant;
  readonly stage: string;
  readonly user: string;
  readonly userAgent: string;
  readonly verb: string;
  /** `pods`, `deployments.apps`; empty where the request named no resource. */
  readonly resource: string;
  readonly subresource: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  /** From the response where it has it, else from the request. */
  readonly uid: string | undefined;
  readonly preconditions: Preconditions;
  readonly fieldManager: string | undefined;
  /** Server-side apply. */
  readonly apply: boolean;
  readonly dryRun: boolean;
  /** HTTP status; 0 where none was sent. */
  readonly code: number;
  readonly reason: string | undefined;
  readonly message: string | undefined;
  readonly request: unknown;
  readonly response: unknown;
}

interface RawMeta {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

interface RawBody {
  readonly kind?: string;
  readonly metadata?: RawMeta;
  readonly preconditions?: Preconditions;
  readonly dryRun?: readonly string[];
  readonly details?: { readonly uid?: string };
}

interface RawEvent {
  readonly auditID?: string;
  readonly level?: AuditEntry['level'];
  readonly stage?: string;
  readonly requestURI?: string;
  readonly verb?: string;
  readonly user?: { readonly username?: string };
  readonly userAgent?: string;
  readonly objectRef?: RawMeta & {
    readonly resource?: string;
    readonly apiGroup?: string;
    readonly subresource?: string;
  };
  readonly responseStatus?: { readonly code?: number; readonly reason?: string; readonly message?: string };
  readonly requestObject?: RawBody;
  readonly responseObject?: RawBody;
  readonly requestReceivedTimestamp?: string;
  readonly stageTimestamp?: string;
}

/** Reads one line of the log. Throws a SyntaxError where it is not whole. */
export function parseAuditLine(line: string): AuditEntry {
  const raw = JSON.parse(line) as RawEvent;
  const { objectRef = {}, requestObject: request, responseObject: response, verb = '' } = raw;
  const query = new URLSearchParams(raw.requestURI?.split('?')[1] ?? '');
  const group = objectRef.apiGroup ?? '';
  const plural = objectRef.resource ?? '';
  return {
    id: raw.auditID ?? '',
    level: raw.level ?? 'Metadata',
    receivedAt: Date.parse(raw.requestReceivedTimestamp ?? ''),
    at: Date.parse(raw.stageTimestamp ?? ''),
    stage: raw.stage ?? '',
    user: raw.user?.username ?? '',
    userAgent: raw.userAgent ?? '',
    verb,
    resource: group === '' ? plural : `${plural}.${group}`,
    subresource: objectRef.subresource,
    namespace: objectRef.namespace,
    name: objectRef.name ?? response?.metadata?.name ?? request?.metadata?.name,
    uid: response?.metadata?.uid ?? response?.details?.uid ?? objectRef.uid,
    preconditions: preconditionsOf(verb, request),
    fieldManager: query.get('fieldManager') ?? undefined,
    apply: verb === 'patch' && isApply(raw, query),
    dryRun: query.has('dryRun') || (request?.dryRun?.length ?? 0) > 0,
    code: raw.responseStatus?.code ?? 0,
    reason: raw.responseStatus?.reason,
    message: raw.responseStatus?.message,
    request,
    response,
  };
}

/** A delete names them in its options; an update or patch by what its metadata insists on. */
function preconditionsOf(verb: string, request: RawBody | undefined): Preconditions {
  if (verb === 'create') return {};
  const { uid, resourceVersion } =
    (verb === 'delete' || verb === 'deletecollection' ? request?.preconditions : request?.metadata) ?? {};
  return {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined || resourceVersion === '' ? {} : { resourceVersion }),
  };
}

/** The log does not keep the content type; only an apply must name its kind, and its manager. */
function isApply(raw: RawEvent, query: URLSearchParams): boolean {
  return query.has('force') || (query.has('fieldManager') && raw.requestObject?.kind !== undefined);
}
