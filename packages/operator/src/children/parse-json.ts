/** What an annotation holds as JSON; undefined where there is none, or what somebody wrote there is no JSON. */
export function parseJson(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
