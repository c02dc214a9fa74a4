/**
 * The texts of `Warning` headers as the API server writes them: `299 - "text"`, several of them joined by commas
 * (RFC 7234 5.5; only code 299 is Kubernetes' own).
 */
export function parseWarnings(header: string | string[] | undefined): readonly string[] {
  const joined = Array.isArray(header) ? header.join(', ') : (header ?? '');
  const texts: string[] = [];
  for (const match of joined.matchAll(/299 [^\s"]+ "((?:[^"\\]|\\.)*)"/g)) {
    const quoted = match[1];
    if (quoted !== undefined) texts.push(quoted.replaceAll(/\\(.)/g, '$1'));
  }
  return texts;
}
