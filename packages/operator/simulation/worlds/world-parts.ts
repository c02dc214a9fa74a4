import type { Controller } from '../../src/engine/controller.ts';
import type { Store } from '../model/store.ts';
import type { Effect, Process, World } from '../world.ts';

/** How a world is made of another one and of one thing more. */
interface Both<Memory> {
  readonly base: object;
  readonly also: Memory;
}

/** Remembers and judges something besides what the world does already. */
export function alsoRemembering<Memory extends object>(
  world: World,
  begin: Memory,
  next: (memory: Memory, store: Store) => Memory,
  wrongEffect: (effect: Effect, memory: Memory) => string | undefined,
): World {
  const { memory } = world;
  const none = {};
  return {
    ...world,
    memory: {
      begin: { base: memory?.begin ?? none, also: begin } satisfies Both<Memory>,
      next: (both, store, now): Both<Memory> => {
        const { base, also } = both as Both<Memory>;
        return { base: memory?.next(base, store, now) ?? none, also: next(also, store) };
      },
    },
    wrongEffect: (effect) => {
      const { base, also } = effect.memory as Both<Memory>;
      return world.wrongEffect?.({ ...effect, memory: base }) ?? wrongEffect(effect, also);
    },
    wrongState: (store, both) => world.wrongState?.(store, (both as Both<Memory> | undefined)?.base),
  };
}

/** What {@link alsoRemembering} remembers. */
export function alsoOf<Memory>(memory: object | undefined): Memory | undefined {
  return (memory as Both<Memory> | undefined)?.also;
}

/** With a bug in the controller that the world runs. */
export function withPlanted<Snapshot>(
  world: World,
  plant: (controller: Controller<Snapshot>, caches: Process['caches']) => Controller<Snapshot>,
): World {
  return {
    ...world,
    build: (shown) => {
      const { controller, caches } = world.build(shown);
      const planted = plant(controller as unknown as Controller<Snapshot>, caches);
      return { controller: planted as unknown as Controller<unknown>, caches };
    },
  };
}
