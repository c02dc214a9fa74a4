import type { IncomingMessage } from 'node:http';

const base = 'http://server';

/** What a request asks for. A target that is no URL is a path that nobody serves: `//` would be read as the name of a host. */
export function requestUrl({ url = '/' }: Pick<IncomingMessage, 'url'>): URL {
  try {
    return new URL(url.startsWith('/') ? `${base}${url}` : url, base);
  } catch {
    return new URL('/%00', base);
  }
}
