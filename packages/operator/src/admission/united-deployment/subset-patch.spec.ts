import { describe, expect, it } from 'vitest';
import { refusal } from '../trials/judge.fixture.ts';
import { causesOf, childOf, setting, subsetsOf, templateOf, united } from './united-deployment.fixture.ts';

const image = 'spec.template.spec.containers[0].image';
const noImage = refusal(422, 'Invalid', 'Required value', image);

describe('a patch', () => {
  const patched = (image: string, name = 'b') => ({
    name,
    patch: { metadata: { annotations: { image } } },
  });
  const two = united(subsetsOf({ name: 'a' }, patched('x')));

  it('is tried besides the template, and each only once', async () => {
    const { validate, judge } = setting();
    await validate(united(subsetsOf(patched('x', 'a'), patched('x', 'b'), patched('y', 'c'))));
    expect(judge.asked).toHaveLength(3);
  });

  it('is tried without the template where it alone changes, and reported', async () => {
    const { validate, judge } = setting({ children: [childOf('Deployment', 'b', 3)] });
    expect(await validate(two, united())).toEqual({
      allowed: true,
      warnings: ['this change of a patch replaces 3 pods in subset b'],
    });
    expect(judge.asked.map(({ name }) => name)).toEqual([expect.stringMatching(/^web-b-/)]);
  });

  it('is blamed for what it brings about', async () => {
    const { validate, judge } = setting();
    judge.answer = () => noImage;
    expect(causesOf(await validate(two, united()))).toEqual([
      `spec.topology.subsets[1].patch: subset b: with this patch, spec.template.deploymentTemplate.${image}: Required value`,
    ]);
  });

  it('is not blamed for what is the template’s', async () => {
    const { validate, judge } = setting();
    judge.answer = () => noImage;
    expect(causesOf(await validate(two))).toEqual([
      `spec.template.deploymentTemplate.${image}: Required value`,
    ]);
  });

  const different = (count: number) =>
    united(subsetsOf(...Array.from({ length: count }, (_, index) => patched(`x${index}`, `s${index}`))));
  const others =
    ': one write has 20 different ones checked; errors in others show in the conditions when their children are written';

  it.each<readonly [number, number, readonly string[]]>([
    [20, 21, []],
    [21, 21, [`1 patch was not checked, that of subset s20${others}`]],
    [256, 21, [`236 patches were not checked, the first of them that of subset s20${others}`]],
  ])(
    'is tried with the others where there are %d, which asks %d questions',
    async (count, asked, warnings) => {
      const { validate, judge } = setting();
      expect(await validate(different(count))).toEqual({ allowed: true, warnings });
      expect(judge.asked).toHaveLength(asked);
    },
  );

  it('that was tried before is none of those for which there is no room', async () => {
    const { validate, judge } = setting();
    expect(await validate(different(40), different(20))).toEqual({ allowed: true, warnings: [] });
    expect(judge.asked).toHaveLength(20);
  });

  it('that cannot be merged is refused without a question', async () => {
    const { validate, judge } = setting();
    const patch = { spec: { containers: [{ image: 'x' }] } };
    const answer = await validate(united(subsetsOf({ name: 'a' }, { name: 'b', patch })), united());
    expect(causesOf(answer)).toEqual([
      expect.stringMatching(/^spec\.topology\.subsets\[1\]\.patch: subset b: .*name/),
    ]);
    expect(judge.asked).toEqual([]);
  });

  const dropping = { spec: { securityContext: { $patch: 'replace', runAsNonRoot: true } } };
  const idle = subsetsOf({ name: 'a' }, { name: 'b', patch: dropping });
  const warning =
    'spec.topology.subsets[1].patch: subset b: spec.securityContext is dropped, because the template has none that its $patch: replace could act on; leave $patch out to add it';

  it('with a directive that finds nothing in the template is allowed with a word of what is lost', async () => {
    expect(await setting().validate(united(idle))).toEqual({ allowed: true, warnings: [warning] });
    const gone = { spec: { volumes: [{ name: 'cache', $patch: 'delete' }] } };
    expect(await setting().validate(united(subsetsOf({ name: 'a', patch: gone })))).toEqual({
      allowed: true,
      warnings: [
        'spec.topology.subsets[0].patch: subset a: the template has no spec.volumes[0] that $patch: delete could act on',
      ],
    });
  });

  it('with such a directive is reported when it, or the template under it, changes', async () => {
    const { validate } = setting();
    const warnings = async (object: ReturnType<typeof united>, old: ReturnType<typeof united>) =>
      (await validate(object, old)).warnings;
    expect(await warnings(united(idle), united())).toEqual([warning]);
    expect(await warnings(united({ ...idle, replicas: 9 }), united(idle))).toEqual([]);
    const template = templateOf('Deployment', {}, 'nginx:1.28');
    expect(await warnings(united({ ...idle, template }), united(idle))).toEqual([warning]);
  });

  it('that places itself differently from its subset finds what the subset puts there', async () => {
    const nodeSelectorTerm = { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] };
    const patch = { spec: { affinity: { $patch: 'delete' }, tolerations: null } };
    const answer = await setting().validate(united(subsetsOf({ name: 'a', nodeSelectorTerm, patch })));
    expect(answer).toEqual({ allowed: true, warnings: [] });
  });
});
