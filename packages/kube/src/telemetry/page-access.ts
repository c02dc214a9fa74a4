/** Who asks for a page, and what for. */
export interface PageRequest {
  /** The header; undefined: there was none. */
  readonly authorization: string | undefined;
  /** In lower case, as RBAC names verbs of paths: `get`, `put`. */
  readonly verb: string;
  /** As RBAC names it in `nonResourceURLs`: `/metrics`. */
  readonly path: string;
  /** From which address the connection comes; undefined: it is not known. */
  readonly address?: string | undefined;
}

/** Whether a page is shown; where it is not, the answer and why. */
export type PageDecision =
  | { readonly allowed: true; readonly user: string }
  | { readonly allowed: false; readonly code: 401 | 403 | 503; readonly message: string };

/** Decides who sees a page. */
export type PageAccess = (request: PageRequest) => Promise<PageDecision>;

/** Everybody who can connect: for the loopback address. */
export const openToAll: PageAccess = async () => ({ allowed: true, user: 'anyone' });
