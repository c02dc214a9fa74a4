import { conditionTypes, unitedDeployments, type UnitedDeploymentStatus } from '@atoll/api';
import { ApiError } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import type { FreshWorld } from '../../simulation/examples/fresh-world.ts';
import {
  editSpec,
  rollOut,
  setImage,
  spread,
  webKey,
  zone,
} from '../../simulation/examples/spread-example.ts';

const { subsetProvisioned, subsetUpdated } = conditionTypes;

function statusIn(world: FreshWorld): UnitedDeploymentStatus {
  return world.get(unitedDeployments, webKey).status ?? {};
}

function conditionIn(world: FreshWorld, wanted: string) {
  const { status, reason = '' } = statusIn(world).conditions?.find(({ type }) => type === wanted) ?? {};
  return [status, reason];
}

/** All children run. */
function running() {
  const { world, controller } = spread();
  world.untilSteady(controller, 'ns/web');
  rollOut(world);
  world.untilSteady(controller, 'ns/web');
  const reconcileTwice = (): void => {
    world.reconcile(controller, 'ns/web');
    world.reconcile(controller, 'ns/web');
  };
  return { world, reconcileTwice };
}

/** A webhook of somebody else that refuses whatever is written to children. */
function refuseChildren(world: FreshWorld): void {
  const answer = { fate: 'refused', code: 403, reason: 'Forbidden', attempted: 'write' } as const;
  world.refuse = ({ resource }) =>
    resource.kind === 'Deployment' ? new ApiError({ ...answer, message: 'not now' }) : undefined;
}

function addSubset(world: FreshWorld): void {
  editSpec(world, ({ topology }) => ({
    topology: { ...topology, subsets: [...(topology?.subsets ?? []), zone('d', { replicas: 1 })] },
  }));
}

describe("OpenKruise's conditions", () => {
  it('are True where all children are there and have the template', () => {
    const { world } = running();
    expect(conditionIn(world, subsetProvisioned)).toEqual(['True', '']);
    expect(conditionIn(world, subsetUpdated)).toEqual(['True', '']);
  });

  it('say under Provisioned, not under Updated, that a child cannot be made', () => {
    const { world, reconcileTwice } = running();
    refuseChildren(world);
    addSubset(world);
    reconcileTwice();
    expect(conditionIn(world, subsetProvisioned)).toEqual(['False', 'Error']);
    expect(conditionIn(world, subsetUpdated)[1]).toBe('');
  });

  it('say under Updated, not under Provisioned, that a child cannot be changed', () => {
    const { world, reconcileTwice } = running();
    refuseChildren(world);
    setImage(world, 'web:2');
    reconcileTwice();
    expect(conditionIn(world, subsetUpdated)).toEqual(['False', 'Error']);
    expect(conditionIn(world, subsetProvisioned)).toEqual(['True', '']);
  });

  it('say under Provisioned that a child of a former subset is still there', () => {
    const { world, reconcileTwice } = running();
    refuseChildren(world);
    editSpec(world, () => ({ topology: { subsets: [zone('a', { replicas: 1 }), zone('c')] } }));
    reconcileTwice();
    expect(conditionIn(world, subsetProvisioned)).toEqual(['False', '']);
  });
});

describe('the status of a subset', () => {
  const subsetIn = (world: FreshWorld, wanted: string) =>
    statusIn(world).subsetStatuses?.find(({ name }) => name === wanted);

  it('names the child, what it runs and which of its generations was counted', () => {
    const { world } = running();
    expect(subsetIn(world, 'a')).toMatchObject({
      replicas: 1,
      workloadName: expect.stringMatching(/^web-a-/) as string,
      revision: statusIn(world).updatedRevision,
      observedGeneration: expect.any(Number) as number,
    });
  });

  it('has no counts that nobody made, where the child could not be made', () => {
    const { world, reconcileTwice } = running();
    refuseChildren(world);
    addSubset(world);
    reconcileTwice();
    expect(subsetIn(world, 'd')).toMatchObject({ replicas: 0, readyReplicas: 0 });
    expect(subsetIn(world, 'd')).not.toHaveProperty('workloadName');
    expect(subsetIn(world, 'a')).toMatchObject({ replicas: 1 });
  });
});
