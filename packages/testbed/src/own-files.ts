/** Files of this package that are used as files. In a bundle they lie in a folder beside it (`scripts/build`). */
export const ownFiles = {
  supervisor: new URL('./supervisor/main.ts', import.meta.url),
  binaries: new URL('../binaries/', import.meta.url),
  stages: new URL('../stages/', import.meta.url),
} as const;
