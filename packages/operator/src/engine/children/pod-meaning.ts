import { normalised, normalisedOnce } from '@atoll/kube';
import type { PodTemplate } from './child.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * What the API server fills in where a pod template says nothing (`pkg/apis/core/v1/defaults.go`, Kubernetes 1.36).
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
const sourceDefaults: Fields = { defaultMode: 420 };
const probes = ['livenessProbe', 'readinessProbe', 'startupProbe'];
const modes = ['configMap', 'secret', 'downwardAPI', 'projected'];

/**
 * The normal form of a pod template: equal meaning, equal form. Decides whether pods have to be replaced, so nothing
 * that the API server treats alike may differ here.
 */
export function podMeaning(template: PodTemplate): unknown {
  const { metadata, spec } = template;
  return normalised({
    metadata: { ...metadata, creationTimestamp: undefined },
    spec: spec === undefined ? undefined : podSpec(spec as Fields),
  });
}

function podSpec(spec: Fields): Fields {
  const result: Record<string, unknown> = { ...without(spec, podDefaults) };
  // The API server keeps the old name of the field as a copy of the new one.
  if (result['serviceAccount'] === result['serviceAccountName']) delete result['serviceAccount'];
  return withTexts(result, {
    containers: containersText,
    initContainers: containersText,
    volumes: volumesText,
  });
}

type List = readonly unknown[];

/*
 * A thousand children of one template differ in where their pods run; these lists, which are most of a template, are the
 * same objects in all of them.
 */
const containersText = normalisedOnce((list: List) => list.map(container));
const volumesText = normalisedOnce((list: List) => list.map(volume));
const listText = normalisedOnce((list: List) => list);

/** The pod template to be hashed as it is: the normal form of what comes of this is the template's own. */
export function podContent(template: PodTemplate): PodTemplate {
  if (template.spec === undefined) return template;
  const lists = { containers: listText, initContainers: listText, volumes: listText };
  return { ...template, spec: withTexts(template.spec as Fields, lists) };
}

function withTexts(spec: Fields, texts: Readonly<Record<string, (list: List) => unknown>>): Fields {
  const result: Record<string, unknown> = { ...spec };
  for (const [name, textOf] of Object.entries(texts)) {
    const list = result[name];
    if (Array.isArray(list) && list.length > 0) result[name] = textOf(list);
  }
  return result;
}

function container(value: unknown): unknown {
  if (!isFields(value)) return value;
  const result: Record<string, unknown> = { ...without(value, containerDefaults) };
  if (result['imagePullPolicy'] === defaultPullPolicy(value['image'])) delete result['imagePullPolicy'];
  for (const name of probes) if (isFields(result[name])) result[name] = probe(result[name]);
  if (Array.isArray(result['ports']))
    result['ports'] = result['ports'].map((each) => plain(each, portDefaults));
  if (Array.isArray(result['env'])) result['env'] = result['env'].map(variable);
  return result;
}

function probe(value: Fields): Fields {
  const result: Record<string, unknown> = { ...without(value, probeDefaults) };
  if (isFields(result['httpGet'])) result['httpGet'] = without(result['httpGet'], httpGetDefaults);
  return result;
}

function variable(value: unknown): unknown {
  if (!isFields(value) || !isFields(value['valueFrom'])) return value;
  const { fieldRef } = value['valueFrom'];
  if (!isFields(fieldRef)) return value;
  return { ...value, valueFrom: { ...value['valueFrom'], fieldRef: without(fieldRef, fieldRefDefaults) } };
}

function volume(value: unknown): unknown {
  if (!isFields(value)) return value;
  const result: Record<string, unknown> = { ...value };
  for (const source of modes) {
    if (isFields(result[source])) result[source] = without(result[source], sourceDefaults);
  }
  if (isFields(result['hostPath']) && result['hostPath']['type'] === '') {
    result['hostPath'] = without(result['hostPath'], { type: '' });
  }
  return result;
}

/** `:latest`, and no tag at all, are pulled always; everything else only where it is absent. */
function defaultPullPolicy(image: unknown): string {
  if (typeof image !== 'string') return 'IfNotPresent';
  const last = image.slice(image.lastIndexOf('/') + 1);
  if (last.includes('@')) return 'IfNotPresent';
  return !last.includes(':') || last.endsWith(':latest') ? 'Always' : 'IfNotPresent';
}

function plain(value: unknown, defaults: Fields): unknown {
  return isFields(value) ? without(value, defaults) : value;
}

function without(value: Fields, defaults: Fields): Fields {
  return Object.fromEntries(Object.entries(value).filter(([key, entry]) => defaults[key] !== entry));
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
