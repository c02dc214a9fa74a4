/** The annotation with which Helm leaves an object in the cluster when its release is removed. */
export const keptByHelm = { 'helm.sh/resource-policy': 'keep' } as const;
