import { writeFileSync } from 'node:fs';
import type { Component } from '@atoll/testbed';
import { pick } from '../subjects/subject.ts';
import type { ChaosFault, ChaosWorld, Replica } from './chaos-world.ts';

async function killReplica(replica: Replica, world: ChaosWorld): Promise<void> {
  replica.down = true;
  if (replica.component.pid !== undefined) await replica.component.kill();
  await world.wait(world.random() * 4_000);
  replica.down = false;
}

async function pauseFor(world: ChaosWorld, component: Component, ms: number): Promise<void> {
  try {
    await component.pause();
    await world.wait(ms);
  } finally {
    await component.resume();
  }
}

export const processFaults: readonly ChaosFault[] = [
  { name: 'kill', run: async (world) => killReplica(pick(world.replicas, world.random), world) },
  {
    name: 'kill-all',
    run: async (world) => {
      await Promise.all(world.replicas.map(async (replica) => killReplica(replica, world)));
    },
  },
  {
    // Longer than the lease: the other one leads when it goes on.
    name: 'hang',
    run: async (world) => {
      const { component } = pick(world.replicas, world.random);
      if (component.pid !== undefined) await pauseFor(world, component, 20_000);
    },
  },
  { name: 'api-server', run: async ({ controlPlane }) => controlPlane.component('kube-apiserver').restart() },
  {
    name: 'etcd-pause',
    run: async (world) =>
      pauseFor(world, world.controlPlane.component('etcd'), 2_000 + world.random() * 4_000),
  },
  {
    name: 'controller-manager',
    run: async (world) => pauseFor(world, world.controlPlane.component('kube-controller-manager'), 8_000),
  },
  {
    name: 'clock',
    run: async (world) => {
      const { clockFile } = pick(world.replicas, world.random);
      for (const offset of [3_600_000, -7_200_000, 0]) {
        writeFileSync(clockFile, String(offset));
        await world.wait(3_000);
      }
    },
  },
];
