import { describe, expect, it } from 'vitest';
import { refusal, runServed } from './served.fixture.ts';
import { enough, initialEnd, isWatch, listOf, rowsOf, streamOf } from './watched.fixture.ts';

function object(resourceVersion: string, name = 'agent', state = 'Running') {
  return {
    metadata: {
      name,
      namespace: 'ns',
      uid: name,
      resourceVersion,
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: { strategy: { canary: {} }, template: {} },
    status: { state },
  };
}

/** The states in the rows below the headings. */
const statesOf = (out: string): readonly unknown[] =>
  rowsOf(out)
    .slice(1)
    .map((row) => row.split(/\s+/)[8]);

/** Each watch gets the next answer, and each other request the next one of `reads`, the last one from then on. */
async function watched(
  args: readonly string[],
  reads: readonly object[],
  watches: readonly { readonly body: string }[],
) {
  const [left, begun] = [[...reads], [...watches]];
  const next = (): object => (left.length > 1 ? left.shift() : left[0]) ?? {};
  return runServed(args, (request) =>
    isWatch(request) ? (begun.shift() ?? enough) : (next() as { readonly body: object }),
  );
}

describe('a watch of one object', () => {
  const named = async (...watches: readonly { readonly body: string }[]) =>
    watched(['get', 'agent', '-w'], [{ body: object('5') }], watches);

  it('needs the rights to get and to watch it only, as with kubectl', async () => {
    const { out, err, requests } = await named();
    expect(rowsOf(out)).toHaveLength(2);
    expect(err).toContain('enough');
    const [read, watch, ...more] = requests.map(({ url = '' }) => new URL(url, 'http://server'));
    expect(more).toEqual([]);
    expect(read?.pathname).toMatch(/\/extendeddaemonsets\/agent$/);
    expect(Object.fromEntries(watch?.searchParams ?? [])).toMatchObject({
      watch: 'true',
      fieldSelector: 'metadata.name=agent',
      resourceVersion: '0',
    });
  });

  it('prints what changes, and neither the state that is printed nor an older one', async () => {
    const { out } = await named(
      streamOf(
        { type: 'ADDED', object: object('4', 'agent', 'Old') },
        { type: 'MODIFIED', object: object('5') },
        { type: 'MODIFIED', object: object('6', 'agent', 'Canary') },
      ),
    );
    expect(statesOf(out)).toEqual(['Running', 'Canary']);
  });

  it('prints the last state again where it is deleted, and goes on', async () => {
    const { out } = await named(
      streamOf(
        { type: 'DELETED', object: object('6', 'agent', 'Gone') },
        {
          type: 'ADDED',
          object: { ...object('7', 'agent', 'Again'), metadata: { ...object('7').metadata, uid: 'later' } },
        },
      ),
    );
    expect(statesOf(out)).toEqual(['Running', 'Gone', 'Again']);
  });

  it('sees that it was deleted while no watch was open', async () => {
    const { out } = await watched(
      ['get', 'agent', '-w', '--output-watch-events'],
      [{ body: object('5') }, refusal(404, 'NotFound', 'not found')],
      [streamOf(), streamOf()],
    );
    expect(rowsOf(out).map((row) => row.split(/\s/, 1)[0])).toEqual(['EVENT', 'ADDED', 'DELETED']);
  });

  it('goes on where the version is gone, and where the stream ends in the middle of an event', async () => {
    const { out, err } = await named(
      streamOf({
        type: 'ERROR',
        object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' },
      }),
      { body: '{"type":"MODIFIED","object":{"meta' },
      streamOf({ type: 'MODIFIED', object: object('8', 'agent', 'Later') }),
    );
    expect(out).toContain('Later');
    expect(err).toMatch(/watching again soon/);
  });
});

describe('a watch of all objects', () => {
  it('prints the last state again where one is deleted', async () => {
    const { out } = await watched(
      ['get', '-w', '--output-watch-events'],
      [listOf(object('5'), object('4', 'other'))],
      [
        streamOf(
          { type: 'ADDED', object: object('5') },
          { type: 'ADDED', object: object('4', 'other') },
          initialEnd,
          {
            type: 'DELETED',
            object: object('7', 'other'),
          },
        ),
      ],
    );
    expect(rowsOf(out).map((row) => row.split(/\s+/).filter((_, at) => at === 0 || at === 2))).toEqual([
      ['EVENT', 'NAME'],
      ['ADDED', 'agent'],
      ['ADDED', 'other'],
      ['DELETED', 'other'],
    ]);
  });

  it('prints each state once, and the last one last, where one changes and is deleted as the watch begins', async () => {
    const { out } = await watched(
      ['get', '-w', '--output-watch-events'],
      [listOf(object('5'))],
      [
        streamOf(
          { type: 'ADDED', object: object('5') },
          initialEnd,
          { type: 'MODIFIED', object: object('7', 'agent', 'Canary') },
          { type: 'DELETED', object: object('8', 'agent', 'Gone') },
        ),
      ],
    );
    const words = rowsOf(out).map((row) => row.split(/\s+/));
    expect(words.slice(1).map((row) => [row[0], row[9]])).toEqual([
      ['ADDED', 'Running'],
      ['MODIFIED', 'Canary'],
      ['DELETED', 'Gone'],
    ]);
  });

  it('prints the last state of one that is gone when the watch begins', async () => {
    const { out } = await watched(
      ['get', '-w', '--output-watch-events'],
      [listOf(object('5'), object('4', 'other'))],
      [streamOf({ type: 'ADDED', object: object('5') }, initialEnd)],
    );
    expect(rowsOf(out).at(-1)).toMatch(/^DELETED +ns +other /);
  });

  it('has headings above what comes first, also where there was nothing', async () => {
    const { out } = await watched(
      ['get', '-w'],
      [listOf()],
      [
        streamOf({ type: 'ADDED', object: object('6') }, initialEnd, {
          type: 'MODIFIED',
          object: object('7'),
        }),
      ],
    );
    expect(rowsOf(out).map((row) => row.split(/\s/, 1)[0])).toEqual(['NAMESPACE', 'ns', 'ns']);
  });

  it('prints single objects as JSON, and no List, as kubectl does', async () => {
    const changes = [
      streamOf({ type: 'ADDED', object: object('5') }, initialEnd, { type: 'DELETED', object: object('7') }),
    ];
    const plain = await watched(['get', '-w', '-o', 'json'], [listOf(object('5'))], changes);
    expect(plain.out).not.toContain('"List"');
    expect(plain.out.match(/^ {4}"kind": "ExtendedDaemonSet"/gm)).toHaveLength(2);
    const events = await watched(
      ['get', '-w', '-o', 'json', '--output-watch-events'],
      [listOf(object('5'))],
      changes,
    );
    expect(events.out.match(/^ {4}"type": "[A-Z]+"/gm)).toEqual([
      '    "type": "ADDED"',
      '    "type": "DELETED"',
    ]);
    const yaml = await watched(['get', '-w', '-o', 'yaml'], [listOf(object('5'))], changes);
    expect(yaml.out.split('---\n')).toHaveLength(2);
  });
});

it('--output-watch-events is for watches', async () => {
  const { code, err, requests } = await watched(['get', '--output-watch-events'], [listOf()], []);
  expect([code, requests]).toEqual([2, []]);
  expect(err).toContain('--output-watch-events is for --watch');
});
