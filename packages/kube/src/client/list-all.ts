import type { ListOptions, ListResult } from './client.ts';
import type { KubeObject, Stored } from '../objects/object.ts';
import { apiVersionOf, type Resource } from '../objects/resource.ts';
import { PageTokens } from './page-tokens.ts';
import type { Query } from './request-path.ts';

interface Page {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly Stored<KubeObject>[] | null;
}

const PAGE_SIZE = 500;

/**
 * Follows `continue` to the end. A continue token that has become too old begins the list again in one piece, which
 * is consistent, as client-go's pager does.
 */
export async function listAll<T extends KubeObject>(
  resource: Resource<T>,
  options: ListOptions,
  attempted: string,
  fetchPage: (query: Query) => Promise<unknown>,
): Promise<ListResult<T>> {
  const { labelSelector, fieldSelector, resourceVersion, resourceVersionMatch, limit = PAGE_SIZE } = options;
  const selectors = { labelSelector, fieldSelector };
  const whole = { ...selectors, resourceVersion, resourceVersionMatch };
  const items: Stored<T>[] = [];
  const tokens = new PageTokens(attempted);
  let query: Query = { ...whole, limit };
  for (;;) {
    let page: Page;
    try {
      page = (await fetchPage(query)) as Page;
    } catch (error) {
      if (!tokens.beginsAnew(error)) throw error;
      items.length = 0;
      query = whole;
      continue;
    }
    // Items of a list come without the apiVersion and kind that a single object carries.
    const identity = { apiVersion: apiVersionOf(resource), kind: resource.kind };
    for (const item of page.items ?? []) items.push({ ...identity, ...item } as Stored<T>);
    const next = page.metadata?.continue;
    if (next === undefined || next === '' || options.onePage === true)
      return { resourceVersion: page.metadata?.resourceVersion ?? '', items };
    query = { ...selectors, limit, continue: tokens.next(next) };
  }
}
