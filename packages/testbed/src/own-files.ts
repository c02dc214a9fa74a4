/** This file is the source, or the package's JavaScript. */
const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js';

/** Files of this package that are used as files. In a bundle they lie in a folder beside it (`scripts/build`). */
export const ownFiles = {
  supervisor: new URL(`./supervisor/main.${ending}`, import.meta.url),
  binaries: new URL('../binaries/', import.meta.url),
  stages: new URL('../stages/', import.meta.url),
} as const;
