import { describe, expect, it } from 'vitest';
import {
  causesOf,
  setting,
  subsetsOf,
  templateOf,
  united,
} from './united-deployment/united-deployment.fixture.ts';

const subsetName = 'apps.kruise.io/subset-name';
const revision = 'apps.kruise.io/controller-revision-hash';

type Fields = Readonly<Record<string, unknown>>;

function patching(labels: unknown, more: Fields = {}): ReturnType<typeof united> {
  return united({ ...subsetsOf({ name: 'a' }, { name: 'b', patch: { metadata: { labels } } }), ...more });
}

describe('a patch of a label that names the owner of the pods', () => {
  const ofSubset = 'it names the subset of a pod, and is always "b" here';
  const ofRevision = 'it names the revision of a pod, and is set with each';
  const selects = 'spec.selector selects the pods by';
  const tiers = { matchExpressions: [{ key: 'tier', operator: 'In', values: ['x', 'y'] }] };
  const tiered = {
    selector: { matchLabels: { app: 'web' }, ...tiers },
    template: templateOf('Deployment', {
      template: {
        metadata: { labels: { app: 'web', tier: 'x' } },
        spec: { containers: [{ name: 'web', image: 'nginx' }] },
      },
    }),
  };

  it.each<readonly [string, unknown, Fields, readonly string[]]>([
    [
      'that of another subset',
      { [subsetName]: 'a' },
      {},
      [`the label ${subsetName} cannot be set to "a": ${ofSubset}`],
    ],
    ['no subset', { [subsetName]: null }, {}, [`the label ${subsetName} cannot be removed: ${ofSubset}`]],
    [
      'what no label can be',
      { [subsetName]: 5 },
      {},
      [`the label ${subsetName} cannot be set to 5: ${ofSubset}`],
    ],
    ['a revision', { [revision]: 'v1' }, {}, [`the label ${revision} cannot be set to "v1": ${ofRevision}`]],
    ['no revision', { [revision]: null }, {}, [`the label ${revision} cannot be removed: ${ofRevision}`]],
    [
      'another value that is selected by',
      { app: 'other' },
      {},
      [`the label app cannot be set to "other": ${selects} app=web`],
    ],
    ['none that is selected by', { app: null }, {}, [`the label app cannot be removed: ${selects} app=web`]],
    ['no labels', null, {}, [`the label app cannot be removed: ${selects} app=web`]],
    [
      'other labels instead',
      { $patch: 'replace', role: 'x' },
      {},
      [`the label app cannot be removed: ${selects} app=web`],
    ],
    [
      'a value that an expression does not have',
      { tier: 'z' },
      tiered,
      [`the label tier cannot be set to "z": ${selects} tier in (x,y)`],
    ],
    [
      'several at once',
      { [subsetName]: 'a', [revision]: 'v1', app: 'other' },
      {},
      [
        `the label ${subsetName} cannot be set to "a": ${ofSubset}`,
        `the label ${revision} cannot be set to "v1": ${ofRevision}`,
        `the label app cannot be set to "other": ${selects} app=web`,
      ],
    ],
  ])('is refused by the name of the subset where it is to be %s', async (_, labels, more, messages) => {
    const { validate, judge } = setting();
    const refused = messages.map((message) => `spec.topology.subsets[1].patch: subset b: ${message}`);
    expect(causesOf(await validate(patching(labels, more), united(more)))).toEqual(refused);
    expect(judge.asked).toEqual([]);
  });

  it('is refused while the kind of the template is not there to be asked', async () => {
    const template = templateOf('CloneSet');
    for (const content of [{ kruise: false }, { synced: false }]) {
      const answer = await setting(content).validate(patching({ [subsetName]: 'a' }, { template }));
      expect(causesOf(answer)).toEqual([expect.stringContaining('cannot be set to "a"')]);
    }
  });

  it.each<readonly [string, unknown, Fields]>([
    ['leaves what it says as it is', { [subsetName]: 'b', app: 'web' }, {}],
    ['leaves the pods selected', { tier: 'y' }, tiered],
    ['is of other labels', { role: 'x', 'apps.kruise.io/other': null }, {}],
    ['replaces all and says again what is selected by', { $patch: 'replace', app: 'web' }, {}],
    [
      'breaks nothing, because the template is not selected either',
      { app: 'other' },
      { selector: { matchLabels: { app: 'x' } } },
    ],
  ])('is allowed where it %s', async (_, labels, more) => {
    expect(await setting().validate(patching(labels, more))).toMatchObject({ allowed: true });
  });

  it('may stay where it is stored, whatever else changes', async () => {
    const stored = { [subsetName]: 'a', [revision]: null };
    const { validate } = setting();
    const newTemplate = { template: templateOf('Deployment', {}, 'nginx:1.28') };
    for (const change of [{ replicas: 9 }, { revisionHistoryLimit: 3 }, newTemplate]) {
      expect(await validate(patching(stored, change), patching(stored))).toMatchObject({ allowed: true });
    }
    const counted = united(
      subsetsOf({ name: 'a' }, { name: 'b', replicas: 3, patch: { metadata: { labels: stored } } }),
    );
    expect(await validate(counted, patching(stored))).toMatchObject({ allowed: true });
    const changed = patching({ ...stored, role: 'x' });
    expect(causesOf(await validate(changed, patching(stored)))).toHaveLength(2);
  });
});
