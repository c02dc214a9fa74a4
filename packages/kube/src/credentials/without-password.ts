/**
 * A URL as it may be shown: without what stands before its `@`, which is a name and a password. It need not be a URL that
 * can be parsed, as it is shown where it cannot.
 */
export function withoutPassword(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1…@');
}
