/** A controller that can be switched on and off by name. */
export interface SelectableController {
  readonly name: string;
  /** Names under which the old operators knew it. */
  readonly aliases: readonly string[];
  /** Whether `*` includes it. */
  readonly onByDefault: boolean;
}

export type ControllerSelection<C> =
  { readonly ok: true; readonly selected: readonly C[] } | { readonly ok: false; readonly error: string };

/**
 * Reads the value of `--controllers` as kube-controller-manager does: `*` is every controller that is on by
 * default, `foo` switches foo on, `-foo` switches it off, whatever the order; the first mention of a name decides.
 * Unlike there, a value that only switches off leaves on what is on by default: `-foo` means `*,-foo`, because nobody runs an
 * operator that does nothing.
 */
export function selectControllers<C extends SelectableController>(
  value: string,
  available: readonly C[],
): ControllerSelection<C> {
  const words = value
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  if (words.length === 0) return { ok: false, error: refusal(value, 'it names no controller', available) };
  const decided = new Map<C, boolean>();
  let star = words.every((word) => word.startsWith('-'));
  for (const word of words) {
    if (word === '*') {
      star = true;
      continue;
    }
    const off = word.startsWith('-');
    const name = off ? word.slice(1) : word;
    const controller = available.find((each) => each.name === name || each.aliases.includes(name));
    if (controller === undefined) {
      return { ok: false, error: refusal(value, `"${name}" is not a controller`, available) };
    }
    if (!decided.has(controller)) decided.set(controller, !off);
  }
  const selected = available.filter((each) => decided.get(each) ?? (star && each.onByDefault));
  if (selected.length === 0)
    return { ok: false, error: refusal(value, 'it switches every controller off', available) };
  return { ok: true, selected };
}

function refusal(value: string, why: string, available: readonly SelectableController[]): string {
  const names = available.map((each) => each.name).join(', ');
  return `--controllers "${value}": ${why}; allowed are *, the names ${names}, and each name with a leading "-"`;
}
