import { describe, expect, it } from 'vitest';
import { nodeTermProblems } from './node-term-problems.ts';

type Term = Parameters<typeof nodeTermProblems>[0];
type Requirement = NonNullable<Term['matchExpressions']>[number];

function problemsOf(term: Term): readonly string[] {
  return nodeTermProblems(term, 'term').map(({ field, message }) => `${field}: ${message}`);
}

// As kube-apiserver v1.36.3 judges the pods of a Deployment.
describe('a requirement on a node', () => {
  const label = 'must be empty or consist of letters';
  const number = 'must be a whole number from 0 to 9223372036854775807';

  it.each<readonly [Requirement, readonly string[]]>([
    [{ key: 'example.com/zone', operator: 'In', values: ['a', ''] }, []],
    [{ key: 'k', operator: 'NotIn', values: ['a'] }, []],
    [{ key: 'k', operator: 'Exists' }, []],
    [{ key: 'k', operator: 'DoesNotExist', values: [] }, []],
    [{ key: 'k', operator: 'Gt', values: ['0'] }, []],
    [{ key: 'k', operator: 'Lt', values: ['9223372036854775807'] }, []],
    [{ key: 'a b', operator: 'Exists' }, ['key: "a b" name must consist']],
    [{ key: '', operator: 'Exists' }, ['key: "" name must not be empty']],
    [{ key: 'k', operator: 'In', values: ['a', 'b c'] }, [`values[1]: "b c" ${label}`]],
    [{ key: 'k', operator: 'In' }, ['values: must hold at least one value for the operator In, and holds 0']],
    [
      { key: 'k', operator: 'NotIn', values: [] },
      ['values: must hold at least one value for the operator NotIn, and holds 0'],
    ],
    [
      { key: 'k', operator: 'Exists', values: ['a'] },
      ['values: must hold no value for the operator Exists, and holds 1'],
    ],
    [
      { key: 'k', operator: 'Gt', values: ['1', '2'] },
      ['values: must hold one value for the operator Gt, and holds 2'],
    ],
    [{ key: 'k', operator: 'Gt', values: ['-1'] }, [`values[0]: "-1" ${number}`]],
    [{ key: 'k', operator: 'Lt', values: ['+1'] }, [`values[0]: "+1" ${number}`]],
    [{ key: 'k', operator: 'Lt', values: ['one'] }, [`values[0]: "one" ${number}`]],
    [
      { key: 'k', operator: 'Gt', values: ['9223372036854775808'] },
      [`values[0]: "9223372036854775808" ${number}`],
    ],
    [
      { key: 'k', operator: 'Near', values: ['a'] },
      ['operator: "Near" must be In, NotIn, Exists, DoesNotExist, Gt or Lt'],
    ],
  ])('%j on its labels is judged as by the API server', (requirement, messages) => {
    const found = problemsOf({ matchExpressions: [{ key: 'ok', operator: 'Exists' }, requirement] });
    expect(found).toEqual(
      messages.map((message) => expect.stringContaining(`term.matchExpressions[1].${message}`)),
    );
  });

  it.each<readonly [Requirement, readonly string[]]>([
    [{ key: 'metadata.name', operator: 'In', values: ['node-1.example.com'] }, []],
    [{ key: 'metadata.name', operator: 'NotIn', values: ['node'] }, []],
    [
      { key: 'metadata.uid', operator: 'In', values: ['node'] },
      ['key: "metadata.uid" must be metadata.name'],
    ],
    [
      { key: 'metadata.name', operator: 'Exists' },
      ['operator: "Exists" must be In or NotIn', 'values: must hold one value, and holds 0'],
    ],
    [{ key: 'metadata.name', operator: 'Gt', values: ['1'] }, ['operator: "Gt" must be In or NotIn']],
    [
      { key: 'metadata.name', operator: 'In', values: ['a', 'b'] },
      ['values: must hold one value, and holds 2'],
    ],
    [
      { key: 'metadata.name', operator: 'In', values: ['Node_1'] },
      ['values[0]: "Node_1" must consist of lower case letters'],
    ],
    [
      { key: 'metadata.name', operator: 'In', values: [''] },
      ['values[0]: "" must consist of lower case letters'],
    ],
    [
      { key: 'metadata.name', operator: 'In', values: ['n'.repeat(254)] },
      [`values[0]: "${'n'.repeat(254)}" must be no more than 253 bytes`],
    ],
  ])('%j on its fields is judged as by the API server', (requirement, messages) => {
    const found = problemsOf({ matchFields: [requirement] });
    expect(found).toEqual(
      messages.map((message) => expect.stringContaining(`term.matchFields[0].${message}`)),
    );
  });
});
