// Generated from the OpenAPI document of Kubernetes v1.36.3 by scripts/generate-types.ts. Do not edit.

import type { KubeObject } from '../objects/object.ts';

/** BoundObjectReference is a reference to an object that a token is bound to. */
export interface BoundObjectReference {
  /** apiVersion is API version of the referent. */
  readonly apiVersion?: string;
  /** kind of the referent. */
  readonly kind?: string;
  /** name of the referent. */
  readonly name?: string;
  /** uid of the referent. */
  readonly uid?: string;
}

/** TokenRequest requests a token for a given service account. */
export interface TokenRequest extends KubeObject {
  /** spec holds information about the request being evaluated */
  readonly spec?: TokenRequestSpec;
  /** status is filled in by the server and indicates whether the token can be authenticated. */
  readonly status?: TokenRequestStatus;
}

/** TokenRequestSpec contains client provided parameters of a token request. */
export interface TokenRequestSpec {
  /** audiences are the intendend audiences of the token. */
  readonly audiences?: readonly string[];
  /** boundObjectRef is a reference to an object that the token will be bound to. */
  readonly boundObjectRef?: BoundObjectReference;
  /** expirationSeconds is the requested duration of validity of the request. */
  readonly expirationSeconds?: number;
}

/** TokenRequestStatus is the result of a token request. */
export interface TokenRequestStatus {
  /** expirationTimestamp is the time of expiration of the returned token. */
  readonly expirationTimestamp?: string;
  /** token is the opaque bearer token. */
  readonly token?: string;
}

/** TokenReview attempts to authenticate a token to a known user. */
export interface TokenReview extends KubeObject {
  /** spec holds information about the request being evaluated */
  readonly spec: TokenReviewSpec;
  /** status is filled in by the server and indicates whether the request can be authenticated. */
  readonly status?: TokenReviewStatus;
}

/** TokenReviewSpec is a description of the token authentication request. */
export interface TokenReviewSpec {
  /** audiences is a list of the identifiers that the resource server presented with the token identifies as. */
  readonly audiences?: readonly string[];
  /** token is the opaque bearer token. */
  readonly token: string;
}

/** TokenReviewStatus is the result of the token authentication request. */
export interface TokenReviewStatus {
  /** audiences are audience identifiers chosen by the authenticator that are compatible with both the TokenReview and token. */
  readonly audiences?: readonly string[];
  /** authenticated indicates that the token was associated with a known user. */
  readonly authenticated?: boolean;
  /** error indicates that the token couldn't be checked */
  readonly error?: string;
  /** user is the UserInfo associated with the provided token. */
  readonly user?: UserInfo;
}

/** UserInfo holds the information about the user needed to implement the user.Info interface. */
export interface UserInfo {
  /** extra is any additional information provided by the authenticator. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  /** groups is the names of groups this user is a part of. */
  readonly groups?: readonly string[];
  /** uid is a unique value that identifies this user across time. */
  readonly uid?: string;
  /** username is the name that uniquely identifies this user among all active users. */
  readonly username?: string;
}
