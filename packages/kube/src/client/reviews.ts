import type { RequestOptions } from './client.ts';
import type { ObjectKey } from '../objects/object.ts';
import type { KubeObject } from '../objects/object.ts';
import type { Resource } from '../objects/resource.ts';
import {
  selfSubjectAccessReviews,
  serviceAccounts,
  subjectAccessReviews,
  tokenReviews,
} from '../objects/resources.ts';
import type { StreamingClient } from './streaming-client.ts';
import type {
  NonResourceAttributes,
  PolicyRule,
  ResourceAttributes,
  SelfSubjectAccessReview,
  SubjectAccessReview,
  TokenRequest,
  TokenRequestSpec,
  TokenReview,
  UserInfo,
} from '../types/index.ts';
import { isFields } from '../values/fields.ts';
import { parseAnswer } from './parse-answer.ts';
import { collectionPath, objectPath } from './request-path.ts';

type RawClient = Pick<StreamingClient, 'raw'>;

interface SelfSubjectRulesReview extends KubeObject {
  readonly status?: { readonly resourceRules?: readonly PolicyRule[] | null; readonly incomplete?: boolean };
}

const selfSubjectRulesReviews: Resource<SelfSubjectRulesReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectRulesReview',
  plural: 'selfsubjectrulesreviews',
  namespaced: false,
};

/** The answer of {@link mayI}. */
export interface Permission {
  readonly allowed: boolean;
  /** The authorizer's own words, or what it could not evaluate, where it says so. */
  readonly reason: string | undefined;
}

/** The answer of {@link rulesIn}. */
export interface AllowedRules {
  /** `*` stands for all, no names for all objects. */
  readonly rules: readonly PolicyRule[];
  /** Something may be allowed that is not among the rules: authorizers may decide without rules. */
  readonly incomplete: boolean;
}

/** Asks the API server whether we may do something (SelfSubjectAccessReview). A question, so it is tried again like a read. */
export async function mayI(
  client: RawClient,
  attributes: ResourceAttributes,
  options?: RequestOptions,
): Promise<Permission> {
  const { status } = await review<SelfSubjectAccessReview>(
    client,
    selfSubjectAccessReviews,
    { resourceAttributes: attributes },
    options,
  );
  return { allowed: status?.allowed === true, reason: status?.evaluationError || status?.reason };
}

/** Asks the API server for all that we may do in a namespace (SelfSubjectRulesReview). */
export async function rulesIn(
  client: RawClient,
  namespace: string,
  options?: RequestOptions,
): Promise<AllowedRules> {
  const { status } = await review<SelfSubjectRulesReview>(
    client,
    selfSubjectRulesReviews,
    { namespace },
    options,
  );
  return { rules: status?.resourceRules ?? [], incomplete: status?.incomplete !== false };
}

/** Whose token it is (TokenReview); undefined: the API server does not accept it. */
export async function userOfToken(
  client: RawClient,
  token: string,
  options?: RequestOptions,
): Promise<UserInfo | undefined> {
  const { status } = await review<TokenReview>(client, tokenReviews, { token }, options);
  return status?.authenticated === true ? (status.user ?? {}) : undefined;
}

/** Asks the API server whether this user may ask for a path (SubjectAccessReview). */
export async function mayRequest(
  client: RawClient,
  { username, uid, groups, extra }: UserInfo,
  nonResourceAttributes: NonResourceAttributes,
  options?: RequestOptions,
): Promise<Permission> {
  const spec = {
    ...(username === undefined ? {} : { user: username }),
    ...(uid === undefined ? {} : { uid }),
    ...(groups === undefined ? {} : { groups }),
    ...(extra === undefined ? {} : { extra }),
    nonResourceAttributes,
  };
  const { status } = await review<SubjectAccessReview>(client, subjectAccessReviews, spec, options);
  return { allowed: status?.allowed === true, reason: status?.reason };
}

async function review<T extends KubeObject>(
  client: RawClient,
  resource: Resource<T>,
  spec: object,
  options: RequestOptions | undefined,
): Promise<T> {
  const path = collectionPath(resource, undefined);
  const { group, version, kind } = resource;
  const answer = await client.raw({
    method: 'POST',
    readOnly: true,
    path,
    contentType: 'application/json',
    body: JSON.stringify({ apiVersion: `${group}/${version}`, kind, spec }),
    ...options,
  });
  const attempt = { attempted: `POST ${path}`, readOnly: true };
  // Without its status it is no review, and would read as a refusal.
  return parseAnswer<T>(answer, attempt, undefined, ({ status }) => isFields(status));
}

/** A token of a service account (TokenRequest). Without audiences it is for the API server itself. */
export async function requestToken(
  client: RawClient,
  serviceAccount: ObjectKey,
  spec: Partial<TokenRequestSpec> = {},
  options?: RequestOptions,
): Promise<{ readonly token: string; readonly expiresAt: string }> {
  const path = objectPath(serviceAccounts, serviceAccount, 'token');
  const answer = await client.raw({
    method: 'POST',
    path,
    contentType: 'application/json',
    body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec }),
    ...options,
  });
  const { token, expirationTimestamp } =
    parseAnswer<TokenRequest>(answer, { attempted: `POST ${path}`, readOnly: false }).status ?? {};
  if (token === undefined || expirationTimestamp === undefined) {
    throw new TypeError('the API server answered a TokenRequest without a token');
  }
  return { token, expiresAt: expirationTimestamp };
}
