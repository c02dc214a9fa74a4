import {
  extendedDaemonSetReplicaSets,
  extendedDaemonSets,
  type CanaryStrategy,
  type ExtendedDaemonSet,
  type ExtendedDaemonSetReplicaSet,
} from '@atoll/api';
import { nodes, pods, type Node, type Pod, type Stored } from '@atoll/kube';
import { createExtendedDaemonSetController } from '../../src/extended-daemon-set/controller.ts';
import { agent, node, template } from '../../src/extended-daemon-set/extended-daemon-set.fixture.ts';
import { withoutIdentity } from '../messages/without-identity.ts';
import { FreshWorld } from './fresh-world.ts';

const key = { namespace: 'edge', name: 'agent' };

/** `agent:1` on all of these nodes, Ready. */
export interface PlayedFleet {
  readonly canary?: CanaryStrategy;
  readonly nodes?: readonly string[];
}

/** An ExtendedDaemonSet over a time: people change it, the operator reconciles until it is steady, and kubelets start and end what it makes and deletes. */
export class PlayedCanary {
  readonly world = new FreshWorld();
  /** Each status of the object that was written, in order. */
  readonly statuses: NonNullable<ExtendedDaemonSet['status']>[] = [];
  /** Notes of its events, in order. */
  readonly events: string[] = [];
  readonly #controller = createExtendedDaemonSetController(this.world.readers, 'auto', this.world.findings);

  constructor({ canary = { duration: '1h' }, nodes: names = ['a', 'b', 'c'] }: PlayedFleet = {}) {
    const { status: _, ...object } = withoutIdentity(agent('agent:1', { strategy: { canary } }));
    this.world.put(extendedDaemonSets, object as never);
    for (const name of names) this.world.put(nodes, withoutIdentity(node(name)));
    this.play();
  }

  get object(): Stored<ExtendedDaemonSet> {
    return this.world.get(extendedDaemonSets, key);
  }

  /** The condition of the object. */
  condition(type: string) {
    return this.object.status?.conditions?.find((each) => each.type === type);
  }

  replicaSetOf(image: string): Stored<ExtendedDaemonSetReplicaSet> {
    const found = this.world
      .list(extendedDaemonSetReplicaSets)
      .find(({ spec }) => spec.template.spec?.containers[0]?.image === image);
    if (found === undefined) throw new Error(`no replica set of ${image}`);
    return found;
  }

  /** The image of each node's pod. */
  get images(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      this.world.list(pods).map(({ spec }) => [spec?.nodeName ?? '', spec?.containers[0]?.image ?? '']),
    );
  }

  setImage(image: string): void {
    this.#edit((found) => ({ ...found, spec: { ...found.spec, template: template(image) } }));
  }

  /** undefined: the object has none. */
  setCanary(canary: CanaryStrategy | undefined): void {
    this.#edit((found) => {
      const { canary: _, ...others } = found.spec.strategy;
      return {
        ...found,
        spec: { ...found.spec, strategy: { ...others, ...(canary === undefined ? {} : { canary }) } },
      };
    });
  }

  annotate(annotations: Readonly<Record<string, string>>): void {
    this.#edit((found) => {
      const { metadata } = found;
      return {
        ...found,
        metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } },
      };
    });
  }

  removeAnnotation(name: string): void {
    this.#edit((found) => {
      const { [name]: _, ...annotations } = found.metadata.annotations ?? {};
      return { ...found, metadata: { ...found.metadata, annotations } };
    });
  }

  setNode(name: string, change: (node: Stored<Node>) => object): void {
    this.world.edit(nodes, { name }, change);
  }

  /** Lets so much time pass, in steps of ten seconds. */
  play(seconds = 0): void {
    const end = this.world.now + 1000 * seconds;
    for (;;) {
      this.#reconcile();
      while (this.#serve()) this.#reconcile();
      if (this.world.now >= end) return;
      this.world.now = Math.min(end, this.world.now + 10_000);
    }
  }

  #edit(change: (found: Omit<Stored<ExtendedDaemonSet>, 'status'>) => object): void {
    this.world.edit(extendedDaemonSets, key, (found) => {
      const { status: _, ...others } = found;
      return change(others);
    });
  }

  #reconcile(): void {
    for (let round = 0; round < 20; round += 1) {
      const { outcome, events, statusWritten } = this.world.reconcile(this.#controller, 'edge/agent');
      this.events.push(...events.map(({ note }) => note));
      if (!statusWritten && outcome.results.every(({ did }) => did !== 'done')) return;
      const { status } = this.object;
      if (statusWritten && status !== undefined) this.statuses.push(status);
    }
    throw new Error('the object does not come to rest');
  }

  /** What kubelets and the garbage collector do. Whether they did anything. */
  #serve(): boolean {
    const ready = new Set(
      this.world.list(nodes).flatMap(({ metadata, status }) => {
        const isReady = status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True');
        return isReady === true ? [metadata.name] : [];
      }),
    );
    const served = this.world.list(pods).filter((pod) => ready.has(nodeOf(pod)));
    const open = served.filter(
      ({ metadata, status }) => metadata.deletionTimestamp !== undefined || status === undefined,
    );
    for (const pod of open) {
      if (pod.metadata.deletionTimestamp !== undefined) this.world.end(pods, pod.metadata);
      else this.#start(pod);
    }
    return open.length > 0;
  }

  #start({ metadata }: Stored<Pod>): void {
    const startTime = new Date(this.world.now).toISOString();
    const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: startTime }];
    this.world.edit(pods, metadata, (pod) => ({
      ...pod,
      spec: { ...pod.spec, nodeName: nodeOf(pod) },
      status: { phase: 'Running', startTime, conditions },
    }));
  }
}

function nodeOf({ spec }: Pod): string {
  const terms =
    spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return spec?.nodeName ?? terms?.[0]?.matchFields?.[0]?.values?.[0] ?? '';
}
