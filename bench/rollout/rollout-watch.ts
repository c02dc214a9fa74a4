import {
  createInformer,
  deployments,
  isReady,
  pods,
  projection,
  type Deployment,
  type Pod,
  type StreamingClient,
} from '@atoll/kube';

/** How far the children of one namespace are, seen from outside as a user's watch sees it. */
export class RolloutWatch {
  readonly #imageOfChild = new Map<string, string>();
  /** The image of each pod that is Ready; '' where it is not. */
  readonly #readyImage = new Map<string, string>();
  readonly #waiting = new Set<() => void>();

  /** Follows until the signal ends; resolves when it is up to date. */
  async start(client: StreamingClient, namespace: string, signal: AbortSignal): Promise<void> {
    const children = createInformer({ client, namespace, resource: deployments, projection: childFields });
    const running = createInformer({ client, namespace, resource: pods, projection: podFields });
    children.subscribe((events) => {
      for (const { type, object } of events) {
        if (type === 'deleted') this.#imageOfChild.delete(object.metadata.name);
        else this.#imageOfChild.set(object.metadata.name, imageOf(object.spec?.template.spec));
      }
      this.#check();
    });
    running.subscribe((events) => {
      for (const { type, object } of events) {
        if (type === 'deleted') this.#readyImage.delete(object.metadata.name);
        else this.#readyImage.set(object.metadata.name, isServing(object) ? imageOf(object.spec) : '');
      }
      this.#check();
    });
    void children.start(signal);
    void running.start(signal);
    await Promise.all([children.synced, running.synced]);
  }

  /** Resolves when so many children ask for the image. */
  async children(count: number, image: string, timeoutMs: number): Promise<void> {
    const missing = (): string =>
      `${ofImage(this.#imageOfChild, image)} of ${count} children ask for ${image}`;
    await this.#until(() => ofImage(this.#imageOfChild, image) === count, missing, timeoutMs);
  }

  /** Resolves when there are exactly so many pods, all Ready with the image. */
  async pods(count: number, image: string, timeoutMs: number): Promise<void> {
    const ready = (): number => ofImage(this.#readyImage, image);
    const done = (): boolean => ready() === count && this.#readyImage.size === count;
    await this.#until(done, () => `${ready()} of ${count} pods are Ready with ${image}`, timeoutMs);
  }

  /** Resolves when no child and no pod is left. */
  async nothing(timeoutMs: number): Promise<void> {
    const left = (): number => this.#imageOfChild.size + this.#readyImage.size;
    await this.#until(
      () => left() === 0,
      () => `${left()} objects are still there`,
      timeoutMs,
    );
  }

  #check(): void {
    for (const look of this.#waiting) look();
  }

  async #until(done: () => boolean, missing: () => string, timeoutMs: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(look);
        reject(new Error(`${missing()} after ${timeoutMs / 1000} s`));
      }, timeoutMs);
      const look = (): void => {
        if (!done()) return;
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }
}

const childFields = projection<Deployment>()('spec.template.spec.containers.image');
const podFields = projection<Pod>()(
  'spec.containers.image',
  'status.conditions.type',
  'status.conditions.status',
);

interface HasContainers {
  readonly containers?: readonly { readonly image?: string }[];
}

function imageOf(spec: HasContainers | undefined): string {
  return spec?.containers?.[0]?.image ?? '';
}

function isServing(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp === undefined && isReady(pod);
}

function ofImage(images: ReadonlyMap<string, string>, image: string): number {
  let count = 0;
  for (const each of images.values()) if (each === image) count++;
  return count;
}
