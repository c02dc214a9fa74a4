import type { Flags } from './options.ts';

/** `--name=value` for each flag; later flags win, `false` removes one. */
export function flagArguments(...layers: readonly (Flags | undefined)[]): string[] {
  const merged: Record<string, Flags[string]> = {};
  for (const layer of layers) Object.assign(merged, layer);
  const result: string[] = [];
  for (const [name, value] of Object.entries(merged)) {
    if (value === false) continue;
    const text = typeof value === 'object' ? value.join(',') : String(value);
    result.push(`--${name}=${text}`);
  }
  return result;
}
