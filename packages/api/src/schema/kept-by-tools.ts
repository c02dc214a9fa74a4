/**
 * The annotations with which Helm leaves an object in the cluster when its release is removed, and Argo CD and Flux (kustomize-controller) when git has
 * it no longer. Argo CD takes Helm's for the deletion of an Application only.
 */
export const keptByTools = {
  'helm.sh/resource-policy': 'keep',
  'argocd.argoproj.io/sync-options': 'Prune=false',
  'kustomize.toolkit.fluxcd.io/prune': 'disabled',
} as const;
