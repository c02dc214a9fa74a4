import { isFields, type Fields } from '@atoll/kube';
import type { PodTemplate } from '../../child.ts';

/*
 * On the network of its node a pod has the port of its container, stated as `hostPort` or not. API servers before Kubernetes 1.28
 * filled it into templates of pods, and the webhooks of old operators into theirs; later ones leave it out, and take it for a
 * change of the template all the same.
 */

const lists = ['initContainers', 'containers'] as const;

export function isOnHostNetwork(spec: object | undefined): boolean {
  return (spec as Fields | undefined)?.['hostNetwork'] === true;
}

/** A container of a pod on the network of its node, without what its ports say twice. */
export function withoutHostPorts(value: unknown): unknown {
  if (!isFields(value) || !Array.isArray(value['ports'])) return value;
  const ports = value['ports'].map((each: unknown) => (isFields(each) && isPlain(each) ? bare(each) : each));
  return { ...value, ports };
}

/** Host ports stay in the form that they have: to write them otherwise would replace the pods. */
export function withLiveHostPorts(pods: PodTemplate, live: PodTemplate | undefined): PodTemplate {
  if (!isOnHostNetwork(pods.spec) || !isOnHostNetwork(live?.spec)) return pods;
  const found = portsIn(live);
  const spec: Record<string, unknown> = { ...pods.spec };
  let differs = false;
  const inForm = (container: string, port: unknown): unknown => {
    if (!isFields(port) || !isPlain(port)) return port;
    const present = found.get(idOf(container, port));
    if (present === undefined || isStated(present) === isStated(port)) return port;
    differs = true;
    return isStated(present) ? { ...port, hostPort: port['containerPort'] } : bare(port);
  };
  for (const name of lists) {
    const list = spec[name];
    if (!Array.isArray(list)) continue;
    spec[name] = list.map((each: unknown) => {
      if (!isFields(each) || !Array.isArray(each['ports'])) return each;
      return { ...each, ports: each['ports'].map((port: unknown) => inForm(String(each['name']), port)) };
    });
  }
  return differs ? { ...pods, spec } : pods;
}

/** The ports without a host port of their own. */
function portsIn(template: PodTemplate | undefined): ReadonlyMap<string, Fields> {
  const ports = new Map<string, Fields>();
  const spec = (template?.spec ?? {}) as Fields;
  for (const name of lists) {
    const list = spec[name];
    for (const container of Array.isArray(list) ? list : []) {
      if (!isFields(container) || !Array.isArray(container['ports'])) continue;
      for (const port of container['ports']) {
        if (isFields(port) && isPlain(port)) ports.set(idOf(String(container['name']), port), port);
      }
    }
  }
  return ports;
}

function idOf(container: string, { containerPort, protocol = 'TCP' }: Fields): string {
  return `${container} ${String(containerPort)} ${String(protocol)}`;
}

function isPlain(port: Fields): boolean {
  return !isStated(port) || port['hostPort'] === port['containerPort'];
}

function isStated({ hostPort }: Fields): boolean {
  return hostPort !== undefined && hostPort !== null && hostPort !== 0;
}

function bare(port: Fields): Fields {
  const { hostPort: _, ...rest } = port;
  return rest;
}
