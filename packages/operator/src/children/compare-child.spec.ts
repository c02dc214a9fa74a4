import { annotations, labels } from '@atoll/api';
import type { Stored } from '@atoll/kube';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import type { ChildWorkload, RenderedChild } from './child.ts';
import { rememberAnswer } from '../engine/executor/answers/remember-answer.ts';
import { compareChild, newChild } from './compare-child.ts';
import { keepPods } from './pods/keep-pods.ts';

const label = labels.controllerRevisionHash;
const asked = { pool: 'hz', replicas: 1 };

function rendered(image = 'nginx:1'): RenderedChild {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: 'edge', name: 'web-hz', labels: { [label]: 'web-1' } },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image }] } },
    },
  };
}

function finished(live?: Stored<ChildWorkload>): RenderedChild {
  return keepPods(rendered(), label, live, undefined, 0);
}

/** As the API server answers: with its own fields, and with what somebody has changed since. */
function stored(child: RenderedChild, change: (copy: Live) => void = () => undefined): Stored<ChildWorkload> {
  const copy = structuredClone(child) as unknown as Live;
  Object.assign(copy.metadata, {
    uid: 'u-1',
    resourceVersion: '7',
    creationTimestamp: '1970-01-01T00:00:00Z',
  });
  change(copy);
  return copy as unknown as Stored<ChildWorkload>;
}

interface Live {
  metadata: { labels: Record<string, string>; annotations: Record<string, string> };
  spec: {
    replicas: number;
    selector: { matchLabels: Record<string, string> };
    template: { spec: { containers: { image: string }[] } };
  };
  status?: object;
}

describe('a child that was written', () => {
  const template = {};
  const counted = (live: Stored<ChildWorkload>, question: object = asked) => {
    let renderings = 0;
    const difference = compareChild(template, { ...question }, live, () => {
      renderings += 1;
      return finished(live);
    });
    return [difference?.kind, renderings];
  };
  const create = (): RenderedChild =>
    newChild(
      template,
      () => finished(),
      () => asked,
    );

  it('is not rendered again when it comes back, nor when its status changes', () => {
    const child = create();
    expect(counted(stored(child))).toEqual([undefined, 0]);
    expect(counted(stored(child, (copy) => (copy.status = { replicas: 1 })))).toEqual([undefined, 0]);
  });

  it.for<[string, (copy: Live) => void, string | undefined]>([
    [
      'an image',
      ({ spec }) => spec.template.spec.containers.forEach((each) => (each.image = 'x')),
      'drifted',
    ],
    ['the replicas', ({ spec }) => void (spec.replicas = 5), 'drifted'],
    ['a label', ({ metadata }) => void (metadata.labels[label] = 'x'), 'drifted'],
    [
      'the content hash',
      ({ metadata }) => void delete metadata.annotations[annotations.appliedHash],
      'outdated',
    ],
    [
      'the pod hash',
      ({ metadata }) => void delete metadata.annotations[annotations.podTemplateHash],
      'drifted',
    ],
    [
      'the mark of old pods',
      ({ metadata }) => void (metadata.annotations[annotations.oldRendering] = 'x'),
      undefined,
    ],
    ['the selector', ({ spec }) => void (spec.selector.matchLabels['zone'] = 'a'), 'outdated'],
  ])('is rendered anew where somebody changed %s', ([, change, kind]) => {
    expect(counted(stored(create(), change))).toEqual([kind, 1]);
  });

  describe('and that a webhook rewrote on the way', () => {
    const mirrored = (child: RenderedChild, image = 'mirror/nginx:1'): Stored<ChildWorkload> =>
      stored(child, ({ spec }) => spec.template.spec.containers.forEach((each) => (each.image = image)));
    const compare = (live: Stored<ChildWorkload>) =>
      compareChild(template, asked, live, () => finished(live));

    it('is left as the API server made it of the same object', () => {
      const child = create();
      rememberAnswer(child, mirrored(child));
      expect(counted(mirrored(child))).toEqual([undefined, 0]);
    });

    it('is written once where the answer is not known, and then left', () => {
      const child = create();
      const { object, kind } = compare(mirrored(child)) ?? {};
      expect(kind).toBe('drifted');
      // Not sent, or refused: it is to be written again.
      expect(counted(mirrored(child))[0]).toBe('drifted');
      const { object: again = child } = compare(mirrored(child)) ?? {};
      rememberAnswer(again, mirrored(child));
      expect(counted(mirrored(child))).toEqual([undefined, 0]);
      expect(again).toEqual(object);
    });

    it('is written again where somebody changes it', () => {
      const child = create();
      rememberAnswer(child, mirrored(child));
      expect(counted(mirrored(child, 'other/nginx:1'))).toEqual(['drifted', 1]);
    });
  });

  it('is rendered anew where something else is asked for', () => {
    expect(counted(stored(create()), { ...asked, replicas: 2 })[1]).toBe(1);
  });
});

it('is forgotten with its name: pools that come and go while the template stays fill no memory', async () => {
  const template = {};
  const madeFor = (name: string): RenderedChild => {
    const child = finished();
    return newChild(
      template,
      () => ({ ...child, metadata: { ...child.metadata, name } }),
      () => asked,
    );
  };
  const made = Array.from({ length: 10_000 }, (_, index) => new WeakRef(madeFor(`web-${index}`)));
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  expect(made.filter((each) => each.deref() !== undefined).length).toBeLessThan(5_000);
  expect(made.at(-1)?.deref()).toBeDefined();
  expect(template).toEqual({});
});

it('that is as it was is looked at without a change of what is remembered: there may be thousands of a template', () => {
  const templates = [{}, {}, {}];
  const create = (template: object) =>
    newChild(
      template,
      () => finished(),
      () => asked,
    );
  const lives = templates.map((template) => stored(create(template)));
  const look = () =>
    templates.map((template, index) =>
      compareChild(template, asked, lives[index] as Stored<ChildWorkload>, () => finished()),
    );
  expect(look()).toEqual([undefined, undefined, undefined]);
  const changes = (['set', 'delete', 'keys'] as const).map((name) => vi.spyOn(Map.prototype, name));
  look();
  const counts = changes.map(({ mock }) => mock.calls.length);
  for (const each of changes) each.mockRestore();
  expect(counts).toEqual([0, 0, 0]);
});
