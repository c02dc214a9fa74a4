import { describe, expect, it } from 'vitest';
import { tolerationProblems } from './toleration-problems.ts';

type Toleration = Parameters<typeof tolerationProblems>[0][number];

// As kube-apiserver v1.36.3 judges the pods of a Deployment, with the operators behind its feature gate.
describe('a toleration', () => {
  const operator = 'must be Exists or Equal, or Lt or Gt';
  const number = (which: string) =>
    `must be a whole number of 64 bits without a plus or zeros before it, with the operator ${which}`;

  it.each<readonly [Toleration, readonly string[]]>([
    [{ operator: 'Exists' }, []],
    [{ key: '', operator: 'Exists', value: '', effect: '' }, []],
    [{ key: 'k' }, []],
    [{ key: 'example.com/k', operator: '', value: 'v', effect: 'NoSchedule' }, []],
    [{ key: 'k', operator: 'Equal', value: 'v', effect: 'PreferNoSchedule' }, []],
    [{ key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 0 }, []],
    [{ key: 'k', operator: 'Lt', value: '-5' }, []],
    [{ key: 'k', operator: 'Gt', value: '0' }, []],
    [{ key: 'k', operator: 'exists' }, [`operator: "exists" ${operator}`]],
    [{ key: 'k', operator: 'In', value: 'v' }, [`operator: "In" ${operator}`]],
    [{ key: 'k', operator: 'Exists', value: 'v' }, ['value: "v" must be left out with the operator Exists']],
    [{ key: 'k', value: 'x y' }, ['value: "x y" must be empty or consist of letters']],
    [{ key: '-', operator: 'Exists' }, ['key: "-" name must consist']],
    [{}, ['key: "" must not be empty without the operator Exists']],
    [{ operator: 'Equal', value: 'v' }, ['key: "" must not be empty without the operator Exists']],
    [{ operator: 'Lt', value: '5' }, ['key: "" must not be empty without the operator Exists']],
    ...['', '05', '+5', '-0', '5.0', 'five', '9223372036854775808'].map(
      (value) => [{ key: 'k', operator: 'Gt', value }, [`value: "${value}" ${number('Gt')}`]] as const,
    ),
    [{ key: 'k', operator: 'Lt' }, [`value: "" ${number('Lt')}`]],
    [
      { key: 'k', effect: 'NoRun' },
      ['effect: "NoRun" must be NoSchedule, PreferNoSchedule, NoExecute or left out'],
    ],
    [
      { key: 'k', effect: 'NoSchedule', tolerationSeconds: 30 },
      ['tolerationSeconds: 30 needs the effect NoExecute'],
    ],
    [{ key: 'k', tolerationSeconds: 30 }, ['tolerationSeconds: 30 needs the effect NoExecute']],
    [
      { operator: 'equal', effect: 'x' },
      ['key: "" must not be empty', `operator: "equal" ${operator}`, 'effect: "x" must be'],
    ],
  ])('%j is judged as by the API server', (toleration, messages) => {
    const found = tolerationProblems([{ operator: 'Exists' }, toleration], 'tolerations');
    expect(found.map(({ field, message }) => `${field}: ${message}`)).toEqual(
      messages.map((message) => expect.stringContaining(`tolerations[1].${message}`)),
    );
  });
});
