/** The relative links of a Markdown text, outside of code. */
export function linksOf(text: string): readonly string[] {
  const prose = text
    .replaceAll(/^```[\s\S]*?^```/gm, '')
    .replaceAll(/^(?: {4}|\t).*$/gm, '')
    .replaceAll(/`[^`\n]*`/g, 'code');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link));
}

/** The anchors of a Markdown text's headings, as GitHub makes them. */
export function headingAnchors(text: string): readonly string[] {
  return [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-'),
  );
}

/** The files of this tree that a text names by their path. */
export function namedPaths(text: string): readonly string[] {
  const folders = '(?:packages|scripts|start|bench|deploy|docs|examples)';
  return [
    ...text.matchAll(new RegExp(`(?<![\\w/.-])${folders}/[\\w./-]*\\.(?:ts|md|yaml|gotmpl)\\b`, 'g')),
  ].map(([path]) => path);
}
