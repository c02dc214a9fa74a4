import { canonicalJson, compareTexts, isFields, normalised, normalisedOnce, type Fields } from '@atoll/kube';
import type { PodTemplate } from '../child.ts';
import { defaultPullPolicy } from './default-pull-policy.ts';
import { isOnHostNetwork, withoutHostPorts } from './placement/host-ports.ts';
import { leanContainer, leanVolume } from './unhashed-defaults.ts';

/**
 * What the API server fills in where a pod template leaves a field out (`pkg/apis/core/v1/defaults.go`, Kubernetes 1.36).
 * A template that states a default means the same as one that leaves it out. What is not listed here only makes two
 * templates look different that are not, never the other way round.
 */
const podDefaults: Fields = {
  restartPolicy: 'Always',
  dnsPolicy: 'ClusterFirst',
  schedulerName: 'default-scheduler',
  terminationGracePeriodSeconds: 30,
  enableServiceLinks: true,
};
const tolerationDefaults: Fields = { operator: 'Equal' };
const containerDefaults: Fields = {
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
};
const portDefaults: Fields = { protocol: 'TCP' };
const probeDefaults: Fields = {
  timeoutSeconds: 1,
  periodSeconds: 10,
  successThreshold: 1,
  failureThreshold: 3,
};
const httpGetDefaults: Fields = { scheme: 'HTTP', path: '/' };
const fieldRefDefaults: Fields = { apiVersion: 'v1' };
const resourceFieldRefDefaults: Fields = { divisor: '0' };
const grpcDefaults: Fields = { service: '' };
const tokenDefaults: Fields = { expirationSeconds: 3600 };
const sourceDefaults: Readonly<Record<string, Fields>> = {
  configMap: { defaultMode: 420 },
  secret: { defaultMode: 420 },
  downwardAPI: { defaultMode: 420 },
  projected: { defaultMode: 420 },
  hostPath: { type: '' },
  iscsi: { iscsiInterface: 'default' },
  rbd: { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' },
  azureDisk: { cachingMode: 'ReadWrite', fsType: 'ext4', readOnly: false, kind: 'Shared' },
  scaleIO: { storageMode: 'ThinProvisioned', fsType: 'xfs' },
};
const probes = ['livenessProbe', 'readinessProbe', 'startupProbe'];
const hooks = ['postStart', 'preStop'];

/**
 * The normal form of a pod template: equal meaning, equal form. Decides whether pods have to be replaced, so nothing
 * that the API server treats alike may differ here.
 */
export function podMeaning(template: PodTemplate): unknown {
  const containers = isOnHostNetwork(template.spec) ? hostContainersText : containersText;
  return meaningWith(template, { containers, initContainers: containers, volumes: volumesText });
}

/** {@link podMeaning} as 0.4.0 hashed it: with the host ports of pods on the network of their node. */
export function podMeaningWithHostPorts(template: PodTemplate): unknown {
  return meaningWith(template, {
    containers: containersText,
    initContainers: containersText,
    volumes: volumesText,
  });
}

/** What is hashed of the meaning where the hash is remembered: {@link podMeaning} with the defaults that are left out since. */
export function hashedPodMeaning(template: PodTemplate): unknown {
  return meaningWith(template, {
    containers: hashedContainersText,
    initContainers: hashedContainersText,
    volumes: hashedVolumesText,
  });
}

/** The same as {@link podMeaning}, with lists in the place of their texts: for naming what differs. */
export function plainPodMeaning(template: PodTemplate): unknown {
  const form = isOnHostNetwork(template.spec) ? hostContainer : comparedContainer;
  const containers = (list: List): unknown => list.map(form);
  const volumes = (list: List): unknown => list.map((each) => volume(leanVolume(each)));
  return meaningWith(template, { containers, initContainers: containers, volumes });
}

type List = readonly unknown[];
type ListForms = Readonly<Record<string, (list: List) => unknown>>;

function meaningWith({ metadata, spec }: PodTemplate, lists: ListForms): unknown {
  return normalised({
    metadata: { ...metadata, creationTimestamp: undefined },
    spec: spec === undefined ? undefined : podSpec(spec as Fields, lists),
  });
}

function podSpec(spec: Fields, lists: ListForms): Fields {
  const result: Record<string, unknown> = { ...without(spec, podDefaults) };
  // The API server keeps the old name of the field as a copy of the new one.
  if (result['serviceAccount'] === result['serviceAccountName']) delete result['serviceAccount'];
  if (Array.isArray(result['tolerations'])) result['tolerations'] = tolerationsMeaning(result['tolerations']);
  return withTexts(result, lists);
}

/** The order of tolerations is nothing, and one without an operator is one with `Equal`. */
export function tolerationsMeaning(list: List): List {
  const forms = list.map((each) => plain(each, tolerationDefaults));
  return forms
    .map((each) => ({ each, text: canonicalJson(normalised(each)) }))
    .sort((a, b) => compareTexts(a.text, b.text))
    .map(({ each }) => each);
}

/*
 * A thousand children of one template differ in where their pods run; these lists, which are most of a template, are the
 * same objects in all of them.
 */
const containersText = normalisedOnce((list: List) => list.map(comparedContainer));
const hostContainersText = normalisedOnce((list: List) => list.map(hostContainer));
const volumesText = normalisedOnce((list: List) => list.map((each) => volume(leanVolume(each))));
const hashedContainersText = normalisedOnce((list: List) => list.map(container));
const hashedVolumesText = normalisedOnce((list: List) => list.map(volume));
const listText = normalisedOnce((list: List) => list);

/** The pod template to be hashed as it is: the normal form of what comes of this is the template's own. */
export function podContent(template: PodTemplate): PodTemplate {
  if (template.spec === undefined) return template;
  const lists = { containers: listText, initContainers: listText, volumes: listText };
  return { ...template, spec: withTexts(template.spec as Fields, lists) };
}

function withTexts(spec: Fields, texts: ListForms): Fields {
  const result: Record<string, unknown> = { ...spec };
  for (const [name, textOf] of Object.entries(texts)) {
    const list = result[name];
    if (Array.isArray(list) && list.length > 0) result[name] = textOf(list);
  }
  return result;
}

function comparedContainer(value: unknown): unknown {
  return container(leanContainer(value));
}

function hostContainer(value: unknown): unknown {
  return container(leanContainer(withoutHostPorts(value)));
}

function container(value: unknown): unknown {
  if (!isFields(value)) return value;
  const result: Record<string, unknown> = { ...without(value, containerDefaults) };
  if (result['imagePullPolicy'] === defaultPullPolicy(value['image'])) delete result['imagePullPolicy'];
  for (const name of probes) if (isFields(result[name])) result[name] = probe(result[name]);
  if (isFields(result['lifecycle'])) result['lifecycle'] = lifecycle(result['lifecycle']);
  if (Array.isArray(result['ports']))
    result['ports'] = result['ports'].map((each) => plain(each, portDefaults));
  if (Array.isArray(result['env'])) result['env'] = result['env'].map(variable);
  return result;
}

function probe(value: Fields): Fields {
  const result: Record<string, unknown> = { ...without(value, probeDefaults) };
  if (isFields(result['httpGet'])) result['httpGet'] = without(result['httpGet'], httpGetDefaults);
  if (isFields(result['grpc'])) result['grpc'] = without(result['grpc'], grpcDefaults);
  return result;
}

function lifecycle(value: Fields): Fields {
  const result: Record<string, unknown> = { ...value };
  for (const name of hooks) {
    const hook = result[name];
    if (!isFields(hook) || !isFields(hook['httpGet'])) continue;
    result[name] = { ...hook, httpGet: without(hook['httpGet'], httpGetDefaults) };
  }
  return result;
}

function variable(value: unknown): unknown {
  if (!isFields(value) || !isFields(value['valueFrom'])) return value;
  return { ...value, valueFrom: reference(value['valueFrom']) };
}

/** Something with a reference to a field of the pod, or to a resource of a container. */
function reference(value: unknown): unknown {
  if (!isFields(value)) return value;
  const result: Record<string, unknown> = { ...value };
  if (isFields(result['fieldRef'])) result['fieldRef'] = without(result['fieldRef'], fieldRefDefaults);
  if (isFields(result['resourceFieldRef'])) {
    result['resourceFieldRef'] = without(result['resourceFieldRef'], resourceFieldRefDefaults);
  }
  return result;
}

function volume(value: unknown): unknown {
  if (!isFields(value)) return value;
  const result: Record<string, unknown> = { ...value };
  if (Object.keys(result).every((key) => key === 'name')) result['emptyDir'] = {};
  for (const [source, defaults] of Object.entries(sourceDefaults)) {
    if (isFields(result[source])) result[source] = without(result[source], defaults);
  }
  if (isFields(result['downwardAPI'])) result['downwardAPI'] = withItems(result['downwardAPI']);
  const { projected } = result;
  if (isFields(projected) && Array.isArray(projected['sources'])) {
    result['projected'] = { ...projected, sources: projected['sources'].map(projection) };
  }
  return result;
}

function projection(value: unknown): unknown {
  if (!isFields(value)) return value;
  const { serviceAccountToken: token, downwardAPI } = value;
  return {
    ...value,
    ...(isFields(token) ? { serviceAccountToken: without(token, tokenDefaults) } : {}),
    ...(isFields(downwardAPI) ? { downwardAPI: withItems(downwardAPI) } : {}),
  };
}

function withItems(value: Fields): Fields {
  return Array.isArray(value['items']) ? { ...value, items: value['items'].map(reference) } : value;
}

function plain(value: unknown, defaults: Fields): unknown {
  return isFields(value) ? without(value, defaults) : value;
}

function without(value: Fields, defaults: Fields): Fields {
  return Object.fromEntries(Object.entries(value).filter(([key, entry]) => defaults[key] !== entry));
}
