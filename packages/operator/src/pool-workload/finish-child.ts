import { annotations, labels } from '@atoll/api';
import type { Instant, Stored } from '@atoll/kube';
import type { ChildWorkload, RenderedChild } from '../children/child.ts';
import { keepPods } from '../children/pods/keep-pods.ts';
import { keptPodsOf, keptReplicasOf } from './kept-as-found.ts';
import { oldRenderingOf } from './old-rendering.ts';
import { renderChild, type Place } from './render-child.ts';

/** Renders a pool's child and finishes it for the child that is there, whose pods stay wherever they can. */
export function finishChild(
  place: Place,
  live: Stored<ChildWorkload> | undefined,
  now: Instant,
): RenderedChild {
  if (live === undefined) return keepPods(renderChild(place), revision, undefined, undefined, now);
  const replicas = keptReplicasOf(place, live);
  const rendered =
    replicas === undefined
      ? renderChild(place)
      : withKeptReplicas(renderChild({ ...place, replicas }), place);
  const old = oldRenderingOf(place, rendered, live) ?? keptPodsOf(place, rendered, live);
  return keepPods(rendered, revision, live, old, now);
}

/** The child as the template asks for it: of what an old operator left, only the form of its rendering stays. */
export function finishByTemplate(place: Place, live: Stored<ChildWorkload>, now: Instant): RenderedChild {
  const rendered = renderChild(place);
  return keepPods(rendered, revision, live, oldRenderingOf(place, rendered, live), now);
}

const revision = labels.controllerRevisionHash;

function withKeptReplicas(rendered: RenderedChild, { replicas }: Place): RenderedChild {
  const { metadata } = rendered;
  const marked = { ...metadata.annotations, [annotations.keptReplicas]: String(replicas) };
  return { ...rendered, metadata: { ...metadata, annotations: marked } };
}
