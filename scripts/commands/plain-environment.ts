/** The environment of this process with nothing of the test runner and of the npm that runs it: for commands as a person gives them. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  const foreign =
    /^(npm_(?!config_(registry|cafile|userconfig)$)|NODE_(?!EXTRA_CA_CERTS$)|VITEST|KUBECONFIG$|ATOLL_DIST$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}
