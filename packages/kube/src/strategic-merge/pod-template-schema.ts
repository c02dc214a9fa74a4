import { listBy, objectOf, setOfStrings, type PatchSchema } from './patch-schema.ts';

const objectMeta: PatchSchema = {
  fields: { finalizers: setOfStrings, ownerReferences: listBy('uid') },
};

const container: PatchSchema = {
  fields: {
    env: listBy('name'),
    ports: listBy('containerPort'),
    volumeDevices: listBy('devicePath'),
    volumeMounts: listBy('mountPath'),
  },
};

const volume: PatchSchema = {
  fields: {
    ephemeral: objectOf({
      fields: { volumeClaimTemplate: objectOf({ fields: { metadata: objectOf(objectMeta) } }) },
    }),
  },
};

/**
 * `PodTemplateSpec` of core/v1. Source: the tags `patchStrategy` and `patchMergeKey` of Kubernetes 1.36, which its
 * OpenAPI document shows as `x-kubernetes-patch-*`. Tolerations, command, args and envFrom, for example, are not among
 * them: they are replaced as a whole.
 */
export const podTemplatePatchSchema: PatchSchema = {
  fields: {
    metadata: objectOf(objectMeta),
    spec: objectOf({
      fields: {
        containers: listBy('name', container),
        ephemeralContainers: listBy('name', container),
        // Of Kubernetes 1.37 and newer.
        evictionResponders: listBy('name'),
        hostAliases: listBy('ip'),
        imagePullSecrets: listBy('name'),
        initContainers: listBy('name', container),
        resourceClaims: listBy('name'),
        schedulingGates: listBy('name'),
        topologySpreadConstraints: listBy('topologyKey'),
        volumes: listBy('name', volume),
      },
    }),
  },
};
