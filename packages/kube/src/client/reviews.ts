import type { RequestOptions } from './client.ts';
import type { ObjectKey } from '../objects/object.ts';
import { selfSubjectAccessReviews, serviceAccounts } from '../objects/resources.ts';
import type { StreamingClient } from './streaming-client.ts';
import type {
  ResourceAttributes,
  SelfSubjectAccessReview,
  TokenRequest,
  TokenRequestSpec,
} from '../types/index.ts';
import { parseAnswer } from './parse-answer.ts';
import { collectionPath, objectPath } from './request-path.ts';

type RawClient = Pick<StreamingClient, 'raw'>;

/** The answer of {@link mayI}. */
export interface Permission {
  readonly allowed: boolean;
  /** The authorizer's own words, where it gives any. */
  readonly reason: string | undefined;
}

/** Asks the API server whether we may do something (SelfSubjectAccessReview). A question, so it is tried again like a read. */
export async function mayI(
  client: RawClient,
  attributes: ResourceAttributes,
  options?: RequestOptions,
): Promise<Permission> {
  const path = collectionPath(selfSubjectAccessReviews, undefined);
  const answer = await client.raw({
    method: 'POST',
    readOnly: true,
    path,
    contentType: 'application/json',
    body: JSON.stringify({
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: attributes },
    }),
    ...options,
  });
  const attempt = { attempted: `POST ${path}`, readOnly: true };
  const { status } = parseAnswer<SelfSubjectAccessReview>(answer, attempt);
  return { allowed: status?.allowed === true, reason: status?.reason };
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
