import { z } from 'zod';
import { maxLabelValueLength, isDnsLabel } from './labels.ts';
import { atomicList, cel, embedded, int64, intOrString, ratcheted, rules, type CelRule } from './markers.ts';

/** So many at most, because the API server refuses rules over lists without a bound. */
export const maxSubsets = 256;
const maxRequirements = 32;
const maxValues = 1024;
const maxTolerations = 64;
const maxSubdomainLength = 253;

/** Each is tried as it is: to take a percentage apart costs more than the API server grants for so many subsets. */
const percentages = Array.from({ length: 101 }, (_, percent) => `'${percent}%'`).join(',');

/**
 * Operators and effects are checked by {@link demands} and not by enums, whose messages have only the index of the subset,
 * and which keep the API server from evaluating any rule.
 */
function requirement(longestValue: number) {
  return z.strictObject({
    key: z.string().describe('The label, or the field, of the node.'),
    operator: z
      .string()
      .describe('In, NotIn, Exists, DoesNotExist, Gt or Lt; of a field of the node In or NotIn.'),
    values: atomicList(z.string().max(longestValue))
      .max(maxValues)
      .describe(
        'Required for In and NotIn, forbidden for Exists and DoesNotExist, one integer without a sign for Gt and Lt.',
      )
      .optional(),
  });
}

const nodeSelectorTerm = z.strictObject({
  matchExpressions: atomicList(requirement(maxLabelValueLength))
    .max(maxRequirements)
    .describe('Requirements on the labels of a node; all of them must hold.')
    .optional(),
  matchFields: atomicList(requirement(maxSubdomainLength))
    .max(maxRequirements)
    .describe('Requirements on the fields of a node, of which there is metadata.name; all of them must hold.')
    .optional(),
});

const toleration = z.strictObject({
  key: z.string().describe('The taint; empty, with the operator Exists, stands for every taint.').optional(),
  operator: z
    .string()
    .describe(
      'Equal where it is left out, or Exists; Lt or Gt in clusters that compare the numbers of taints.',
    )
    .optional(),
  value: z.string().describe('The value of the taint; not for the operator Exists.').optional(),
  effect: z
    .string()
    .describe('NoSchedule, PreferNoSchedule or NoExecute; left out, every effect is tolerated.')
    .optional(),
  tolerationSeconds: int64()
    .describe('How long a pod stays after the taint came; for ever where left out. For NoExecute only.')
    .optional(),
});

/** Something that must be true of a subset, as CEL of the variable that it is given. */
interface Demand {
  readonly check: (self: string) => string;
  readonly problem: string;
}

function numberDemand(field: 'replicas' | 'minReplicas' | 'maxReplicas'): Demand {
  return {
    check: (self) =>
      `!has(${self}.${field}) || (type(${self}.${field}) == int ? ${self}.${field} >= 0 : ${self}.${field} in [${percentages}])`,
    problem: `${field} must be an integer of at least 0, or a whole percentage from 0% to 100%`,
  };
}

/** Every entry of a list of the subset passes `check`, which names the entry `e`. */
function everyEntry(list: string, check: string): Demand['check'] {
  return (self) => `!(${hasAll(self, list)}) || ${self}.${list}.all(e, ${check})`;
}

function hasAll(self: string, path: string): string {
  const parts = path.split('.').map((_, index, all) => all.slice(0, index + 1).join('.'));
  return parts.map((part) => `has(${self}.${part})`).join(' && ');
}

const valuesCount = 'has(e.values) ? e.values.size() : 0';

const demands: readonly Demand[] = [
  {
    check: (self) => isDnsLabel(`${self}.name`),
    problem:
      'the name must be a DNS label: 1 to 63 lower case letters, digits or "-", beginning and ending with a letter or digit',
  },
  numberDemand('replicas'),
  numberDemand('minReplicas'),
  numberDemand('maxReplicas'),
  {
    check: (self) =>
      `!has(${self}.minReplicas) || !has(${self}.maxReplicas) || ` +
      `type(${self}.minReplicas) != int || type(${self}.maxReplicas) != int || ` +
      `int(${self}.minReplicas) <= int(${self}.maxReplicas)`,
    problem: 'minReplicas must not be greater than maxReplicas',
  },
  {
    check: everyEntry(
      'nodeSelectorTerm.matchExpressions',
      `e.operator in ['In', 'NotIn'] ? (${valuesCount}) > 0 : ` +
        `e.operator in ['Gt', 'Lt'] ? (${valuesCount}) == 1 && e.values[0].matches('^[0-9]{1,19}$') : ` +
        `e.operator in ['Exists', 'DoesNotExist'] && (${valuesCount}) == 0`,
    ),
    problem:
      'nodeSelectorTerm.matchExpressions must have values for the operators In and NotIn, one integer without a sign for Gt and Lt, none for Exists and DoesNotExist, and no other operator',
  },
  {
    check: everyEntry(
      'nodeSelectorTerm.matchFields',
      `e.key == 'metadata.name' && e.operator in ['In', 'NotIn'] && (${valuesCount}) == 1`,
    ),
    problem:
      'nodeSelectorTerm.matchFields must have the key metadata.name, the operator In or NotIn, and one value',
  },
  {
    // Lt and Gt are Kubernetes' since 1.35, where its gate TaintTolerationComparisonOperators is open.
    check: everyEntry(
      'tolerations',
      `(!has(e.operator) || e.operator in ['', 'Exists', 'Equal', 'Lt', 'Gt']) && ` +
        `(!has(e.effect) || e.effect in ['', 'NoSchedule', 'PreferNoSchedule', 'NoExecute'])`,
    ),
    problem:
      'tolerations must have the operator Exists, Equal, Lt, Gt or none, and the effect NoSchedule, PreferNoSchedule, NoExecute or none',
  },
  {
    check: everyEntry(
      'tolerations',
      `((has(e.key) && e.key != '') || (has(e.operator) && e.operator == 'Exists')) && ` +
        `(!has(e.value) || e.value == '' || !has(e.operator) || e.operator != 'Exists') && ` +
        `(!has(e.tolerationSeconds) || (has(e.effect) && e.effect == 'NoExecute'))`,
    ),
    problem:
      'tolerations must have the operator Exists where the key is empty, no value for the operator Exists, and the effect NoExecute where tolerationSeconds is given',
  },
];

/**
 * Rules of the list of all subsets, whose message names the first subset that is not as it must be and what it is to be.
 * The API server evaluates every rule with every write, that of a status included, and a rule of the items once for each:
 * for 256 subsets, twenty such rules took it a fifth of a second.
 */
const unmet = demands.map(({ check }) => `!(${check('s')})`).join(' || ');
const found = demands.map(({ check, problem }) => `!(${check('s')}) ? '${problem}' : `).join('');

export const demandRules: readonly CelRule[] = ratcheted(
  (self) => `${self}.all(s, ${demands.map(({ check }) => `(${check('s')})`).join(' && ')})`,
  'a subset is not as it must be',
  {
    messageExpression: `self.map(s, ${unmet}, 'subset ' + s.name + ': ' + (${found}''))[0]`,
  },
);

/**
 * The manual promises that these do not change; without `orValue()` around a list, whose result has no bound in the cost estimate.
 * Tolerations are compared by their meaning: a manifest that is applied again may have a `value: ''` that an old operator did not store.
 */
function placementIsKept(): CelRule {
  const valueOf = (self: string, path: string): string => `(${hasAll(self, path)} ? ${self}.${path} : [])`;
  const same = (path: string, meaning = ''): string =>
    `${valueOf('self', path)}${meaning} == ${valueOf('oldSelf', path)}${meaning}`;
  const sameTerm = ['nodeSelectorTerm.matchExpressions', 'nodeSelectorTerm.matchFields']
    .map((path) => same(path))
    .join(' && ');
  const because = 'immutable: add a subset of another name and remove this one';
  return cel(
    `${sameTerm} && ${same('tolerations', `.map(t, [${meaningOfToleration.join(', ')}])`)}`,
    `the nodeSelectorTerm and the tolerations of a subset are ${because}`,
    {
      messageExpression: `'subset ' + self.name + ': ' + (${sameTerm} ? 'tolerations are' : 'nodeSelectorTerm is') + ' ${because}'`,
    },
  );
}

/** What must stay as it is of a toleration `t`. */
const meaningOfToleration = [
  `t.?key.orValue('')`,
  `has(t.operator) && t.operator != 'Equal' ? t.operator : ''`,
  `t.?value.orValue('')`,
  `t.?effect.orValue('')`,
  `has(t.tolerationSeconds) ? string(t.tolerationSeconds) : ''`,
];

export const subset = z
  .strictObject({
    // Longer than a DNS label may be, so that a name that is too long is refused by the rule, which names it.
    name: z.string().max(maxSubdomainLength).describe('Unique; part of the name of its child.'),
    nodeSelectorTerm: nodeSelectorTerm
      .describe('The nodes of the subset; added to every term of the node affinity of its pods. Immutable.')
      .optional(),
    tolerations: atomicList(toleration)
      .max(maxTolerations)
      .describe('Added to the tolerations of the pods of the subset. Immutable.')
      .optional(),
    replicas: intOrString()
      .describe(
        'How many of the replicas the subset gets, as a number or as a percentage of the total. Left out, it shares evenly with the others what the total leaves.',
      )
      .optional(),
    minReplicas: intOrString()
      .describe('How many replicas the subset gets before any subset gets more; 0 where left out.')
      .optional(),
    maxReplicas: intOrString()
      .describe('How many replicas the subset gets at most; no limit where left out.')
      .optional(),
    patch: embedded({})
      .describe('A strategic merge patch on the pod template of the subset, applied last.')
      .optional(),
  })
  .meta(rules(placementIsKept()));
