/** What stands before the random part is cut to this. Source: Kubernetes, `apiserver/pkg/storage/names/generate.go`. */
const prefixLimit = 58;

/**
 * Whether it is a name that the API server gives for `generateName`: what stands before, cut to its limit, and five random characters. A beginning alone would
 * take the name `web-2-x7k2p` for one of `web-`.
 */
export function isGeneratedName(name: string, generateName: string): boolean {
  const prefix = generateName.slice(0, prefixLimit);
  return name.startsWith(prefix) && /^[a-z0-9]{5}$/.test(name.slice(prefix.length));
}
