/** `:latest`, and no tag at all, are pulled always; everything else only where it is absent. */
export function defaultPullPolicy(image: unknown): string {
  if (typeof image !== 'string') return 'IfNotPresent';
  const last = image.slice(image.lastIndexOf('/') + 1);
  if (last.includes('@')) return 'IfNotPresent';
  return !last.includes(':') || last.endsWith(':latest') ? 'Always' : 'IfNotPresent';
}
