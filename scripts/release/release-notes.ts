/** What a changelog has under a version, for the message of its tag; undefined: it has no dated section of this version. */
export function releaseNotes(changelog: string, version: string): string | undefined {
  const [, ...sections] = changelog.split(/^## /m);
  const section = sections.find((each) => each.startsWith(`${version} - `));
  return section === undefined ? undefined : `Atoll ${section.trimEnd()}\n`;
}
