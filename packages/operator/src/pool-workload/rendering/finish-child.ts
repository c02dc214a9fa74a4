import { annotations, labels } from '@atoll/api';
import type { Instant, Stored } from '@atoll/kube';
import type { ChildWorkload, RenderedChild } from '../../children/child.ts';
import { keepPods } from '../../children/pods/keep-pods.ts';
import { keptPodsOf, keptReplicasOf } from '../take-over/kept-as-found.ts';
import { oldRenderingOf } from '../take-over/old-rendering.ts';
import { withLeftTolerations } from './left-tolerations.ts';
import { renderChild, type RenderInput } from './render-child.ts';

/** Renders a pool's child and finishes it for the child that is there, whose pods stay wherever they can. */
export function finishChild(
  input: RenderInput,
  live: Stored<ChildWorkload> | undefined,
  now: Instant,
): RenderedChild {
  if (live === undefined) return keepPods(renderChild(input), revision, undefined, undefined, now);
  const replicas = keptReplicasOf(input, live);
  const rendered =
    replicas === undefined
      ? renderChild(input)
      : withKeptReplicas(renderChild({ ...input, replicas }), input);
  const old = oldRenderingOf(input, rendered, live) ?? keptPodsOf(input, rendered, live);
  const finished = old === undefined ? withLeftTolerations(rendered, input, live) : rendered;
  return keepPods(finished, revision, live, old, now);
}

/** The child as the template asks for it: of what an old operator left, only the form of its rendering stays. */
export function finishByTemplate(
  input: RenderInput,
  live: Stored<ChildWorkload>,
  now: Instant,
): RenderedChild {
  const rendered = renderChild(input);
  return keepPods(rendered, revision, live, oldRenderingOf(input, rendered, live), now);
}

const revision = labels.controllerRevisionHash;

function withKeptReplicas(rendered: RenderedChild, { replicas }: RenderInput): RenderedChild {
  const { metadata } = rendered;
  const marked = { ...metadata.annotations, [annotations.keptReplicas]: String(replicas) };
  return { ...rendered, metadata: { ...metadata, annotations: marked } };
}
