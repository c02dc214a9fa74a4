import { keyOf } from '@atoll/kube';
import type { Plan } from '../../src/engine/plan.ts';
import type { WriteStep } from '../../src/engine/executor/requests/request.ts';
import type { Step } from '../../src/engine/step.ts';
import type { LocalContent } from './canonical.ts';
import type { Interner } from './interner.ts';
import { slotOf } from '../model/store.ts';

/** A step whose resourceVersion is kept apart, because versions are renumbered from state to state. */
export interface PlannedStep {
  readonly step: Step;
  readonly version: number | undefined;
  /** Whose version it is. */
  readonly slot: string | undefined;
  /** Versions of other objects that the step rests on; in the step itself they are those of the cache content. */
  readonly restsOn?: readonly VersionOf[];
}

interface VersionOf {
  readonly slot: string;
  readonly version: number;
}

/** The plan's steps with their resourceVersions apart. */
export function plannedSteps(plan: Plan, interner: Interner): readonly PlannedStep[] {
  return plan.stages.flatMap((stage) => stage.steps.map((step) => plannedStep(step, interner)));
}

/** From the versions of a cache content to those of the state that has it. */
export function inState(steps: readonly PlannedStep[], content: LocalContent): readonly PlannedStep[] {
  const of = (version: number): number => content.versions[version - 1] ?? 0;
  return steps.map((step) => {
    const { version, restsOn } = step;
    if (version === undefined && restsOn === undefined) return step;
    return {
      ...step,
      version: version === undefined ? undefined : of(version),
      ...(restsOn && { restsOn: restsOn.map((each) => ({ ...each, version: of(each.version) })) }),
    };
  });
}

/** The plan, of the same steps without their versions. */
export function unversioned(plan: Plan, steps: readonly PlannedStep[]): Plan {
  const rest = steps.map(({ step }) => step);
  const stages = plan.stages.map((stage) => ({ ...stage, steps: rest.splice(0, stage.steps.length) }));
  return { ...plan, stages };
}

function plannedStep(step: Step, interner: Interner): PlannedStep {
  const hasVersion = step.do === 'apply' || step.do === 'patch' || step.do === 'delete';
  const rests = step.restsOn?.flatMap(({ resource, key, resourceVersion }) =>
    resourceVersion === undefined ? [] : [{ slot: slotOf(resource, key), version: Number(resourceVersion) }],
  );
  const restsOn = rests === undefined || rests.length === 0 ? {} : { restsOn: rests };
  if (!hasVersion || step.resourceVersion === undefined) {
    return { step: interner.of(step), version: undefined, slot: undefined, ...restsOn };
  }
  const slot = slotOf(step.resource, step.do === 'apply' ? keyOf(step.object) : step.key);
  return {
    step: interner.of(withoutVersion(step)),
    version: Number(step.resourceVersion),
    slot,
    ...restsOn,
  };
}

/** The step with the versions of the state in what it rests on. */
export function restingInState<S extends Step>(step: S, planned: PlannedStep | undefined): S {
  if (planned?.restsOn === undefined || step.restsOn === undefined) return step;
  const versions = new Map(planned.restsOn.map(({ slot, version }) => [slot, version]));
  const restsOn = step.restsOn.map((each) => {
    const version = versions.get(slotOf(each.resource, each.key));
    return version === undefined ? each : { ...each, resourceVersion: String(version) };
  });
  return { ...step, restsOn };
}

/** The step, to be sent as if it had never been planned for one version of its object. */
export function withoutVersion<S extends Step>(step: S): S {
  const { resourceVersion: _, ...rest } = step as S & { readonly resourceVersion?: string };
  return rest as unknown as S;
}

/** The step as it is sent from a state. */
export function sendable(planned: PlannedStep): WriteStep {
  const { step, version } = planned;
  if (step.do === 'event') throw new Error('an event is no request');
  if (version === undefined || step.do === 'create' || step.do === 'try' || step.do === 'conditions')
    return step;
  return { ...step, resourceVersion: String(version) };
}
