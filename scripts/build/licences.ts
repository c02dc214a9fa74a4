import type { BundledPackage } from './bundled-packages.ts';

/** What their licences ask for: each with its name and the whole text. */
export function describeLicences(program: string, packages: readonly BundledPackage[]): string {
  const list = packages.map(({ name, version, license }) => `${name} ${version}: ${license}`);
  const texts = packages.map((each) => [`${each.name} ${each.version}`, ...each.texts].join('\n\n'));
  const line = `\n\n${'-'.repeat(80)}\n\n`;
  const head = `${program} is under the Apache License 2.0 and holds code of these packages:\n\n${list.join('\n')}`;
  return `${[head, ...texts].join(line)}\n`;
}
