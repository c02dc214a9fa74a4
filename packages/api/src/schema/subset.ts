import { z } from 'zod';
import { atomicList, cel, embedded, int64, intOrString, ratcheted, rules, type CelRule } from './markers.ts';

/** So many at most, because the API server refuses rules over lists without a bound. */
export const maxSubsets = 256;
const maxRequirements = 32;
const maxValues = 1024;
const maxTolerations = 64;

/** Each is tried as it is: to take a percentage apart costs more than the API server grants for so many subsets. */
const percentages = Array.from({ length: 101 }, (_, percent) => `'${percent}%'`).join(', ');

const requirement = z.strictObject({
  key: z.string().describe('The label, or the field, of the node.'),
  operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt']),
  values: atomicList(z.string().max(253))
    .max(maxValues)
    .describe('Required for In and NotIn, forbidden for Exists and DoesNotExist, one integer for Gt and Lt.')
    .optional(),
});

const nodeSelectorTerm = z.strictObject({
  matchExpressions: atomicList(requirement)
    .max(maxRequirements)
    .describe('Requirements on the labels of a node; all of them must hold.')
    .optional(),
  matchFields: atomicList(requirement)
    .max(maxRequirements)
    .describe('Requirements on the fields of a node, of which there is metadata.name; all of them must hold.')
    .optional(),
});

const toleration = z.strictObject({
  key: z.string().describe('The taint; empty, with the operator Exists, stands for every taint.').optional(),
  operator: z.string().describe('Equal where it is left out, or Exists.').optional(),
  value: z.string().optional(),
  effect: z
    .enum(['', 'NoSchedule', 'PreferNoSchedule', 'NoExecute'])
    .describe('Left out, every effect is tolerated.')
    .optional(),
  tolerationSeconds: int64()
    .describe('How long a pod stays after the taint came; for ever where left out. For NoExecute only.')
    .optional(),
});

/** A rule on a subset, whose message begins with the name of the subset. */
function subsetRule(
  check: (self: 'self' | 'oldSelf') => string,
  field: string,
  problem: string,
): readonly CelRule[] {
  return ratcheted(check, `${field} of a subset ${problem}`, {
    messageExpression: `'subset ' + self.name + ': ${field} ${problem}'`,
    fieldPath: `.${field}`,
  });
}

function replicasRule(field: 'replicas' | 'minReplicas' | 'maxReplicas'): readonly CelRule[] {
  return subsetRule(
    (self) =>
      `!has(${self}.${field}) || (type(${self}.${field}) == int ? ${self}.${field} >= 0 : ${self}.${field} in [${percentages}])`,
    field,
    'must be an integer of at least 0, or a whole percentage from 0% to 100%',
  );
}

/** Every entry of a list of the subset passes `check`, which names the entry `e`. */
function everyEntry(list: string, check: string): (self: 'self' | 'oldSelf') => string {
  const parts = list.split('.').map((_, index, all) => all.slice(0, index + 1).join('.'));
  return (self) =>
    `!(${parts.map((part) => `has(${self}.${part})`).join(' && ')}) || ${self}.${list}.all(e, ${check})`;
}

const valuesCount = 'has(e.values) ? e.values.size() : 0';

/** A child keeps its node affinity; without `orValue()`, whose result has no bound in the cost estimate. */
function unchanged(field: string, ...lists: readonly string[]): CelRule {
  const paths = lists.length === 0 ? [field] : lists.map((list) => `${field}.${list}`);
  const valueOf = (self: string, path: string): string => {
    const parts = path.split('.').map((_, index, all) => all.slice(0, index + 1).join('.'));
    return `(${parts.map((part) => `has(${self}.${part})`).join(' && ')} ? ${self}.${path} : [])`;
  };
  return cel(
    paths.map((path) => `${valueOf('self', path)} == ${valueOf('oldSelf', path)}`).join(' && '),
    `${field} of a subset is immutable: add a subset of another name and remove this one`,
    {
      messageExpression: `'subset ' + self.name + ': ${field} is immutable: add a subset of another name and remove this one'`,
      fieldPath: `.${field}`,
    },
  );
}

export const subset = z
  .strictObject({
    name: z
      .string()
      .max(63)
      .describe('Told from the others by it; part of the name of its child.')
      .meta(
        rules(
          cel(
            '!format.dns1123Label().validate(self).hasValue()',
            'the name of a subset must be a DNS label: 1 to 63 lower case letters, digits or "-", beginning and ending with a letter or digit',
            {
              messageExpression: `'subset ' + self + ': the name must be a DNS label: 1 to 63 lower case letters, digits or "-", beginning and ending with a letter or digit'`,
            },
          ),
        ),
      ),
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
  .meta(
    rules(
      ...replicasRule('replicas'),
      ...replicasRule('minReplicas'),
      ...replicasRule('maxReplicas'),
      ...subsetRule(
        (self) =>
          `!has(${self}.minReplicas) || !has(${self}.maxReplicas) || ` +
          `type(${self}.minReplicas) != int || type(${self}.maxReplicas) != int || ` +
          `int(${self}.minReplicas) <= int(${self}.maxReplicas)`,
        'minReplicas',
        'must not be greater than maxReplicas',
      ),
      ...subsetRule(
        everyEntry(
          'nodeSelectorTerm.matchExpressions',
          `e.operator in ['In', 'NotIn'] ? (${valuesCount}) > 0 : ` +
            `e.operator in ['Gt', 'Lt'] ? (${valuesCount}) == 1 && e.values[0].matches('^[-+]?[0-9]{1,19}$') : ` +
            `(${valuesCount}) == 0`,
        ),
        'nodeSelectorTerm.matchExpressions',
        'must have values for the operators In and NotIn, one integer for Gt and Lt, none for Exists and DoesNotExist',
      ),
      ...subsetRule(
        everyEntry(
          'nodeSelectorTerm.matchFields',
          `e.key == 'metadata.name' && e.operator in ['In', 'NotIn'] && (${valuesCount}) == 1`,
        ),
        'nodeSelectorTerm.matchFields',
        'must have the key metadata.name, the operator In or NotIn, and one value',
      ),
      ...subsetRule(
        everyEntry(
          'tolerations',
          `(has(e.key) && e.key != '') || (has(e.operator) && e.operator == 'Exists')`,
        ),
        'tolerations',
        'must have the operator Exists where the key is empty',
      ),
      ...subsetRule(
        everyEntry(
          'tolerations',
          `!has(e.value) || e.value == '' || !has(e.operator) || e.operator != 'Exists'`,
        ),
        'tolerations',
        'must have no value for the operator Exists',
      ),
      ...subsetRule(
        everyEntry('tolerations', `!has(e.tolerationSeconds) || (has(e.effect) && e.effect == 'NoExecute')`),
        'tolerations',
        'must have the effect NoExecute where tolerationSeconds is given',
      ),
      unchanged('nodeSelectorTerm', 'matchExpressions', 'matchFields'),
      unchanged('tolerations'),
    ),
  );
