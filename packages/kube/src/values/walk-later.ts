/** Puts a part of a walk off until what is under way has returned. */
export type Later = (part: () => void) => void;

/**
 * Walks over data of any depth: `begin`, and then each part that it or another part has put off, the last first. Nothing
 * calls itself, so that no data of people, however deep, overflows the stack.
 */
export function walkLater<Result>(begin: (later: Later) => Result): Result {
  const parts: (() => void)[] = [];
  const later: Later = (part) => void parts.push(part);
  const result = begin(later);
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) part();
  return result;
}
