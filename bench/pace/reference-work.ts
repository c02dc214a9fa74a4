import { createHash } from 'node:crypto';

/** About a second of one processor that is neither old nor busy. */
export const referenceRounds = 6500;

/**
 * Work of the operator's sort (parse, walk, sort, print, hash) that is the same on every machine and with every version
 * of this project, so that its time depends on the machine alone. Yields a digest of all that was computed; who changes
 * it makes measurements of before and after incomparable.
 */
export function referenceWork(rounds: number): string {
  const digest = createHash('sha256');
  const known = new Map<string, string>();
  for (let round = 0; round < rounds; round++) {
    const object = JSON.parse(JSON.stringify(objectOf(round))) as Tree;
    const leaves = leavesOf(object, '').toSorted(([a], [b]) => (a < b ? -1 : 1));
    const hash = createHash('sha256').update(JSON.stringify(leaves)).digest('hex');
    known.set(`object-${round % 1000}`, hash);
    digest.update(hash);
  }
  for (const [name, hash] of [...known].toSorted(([a], [b]) => (a < b ? -1 : 1))) digest.update(name + hash);
  return digest.digest('hex');
}

type Tree = string | number | boolean | null | readonly Tree[] | { readonly [name: string]: Tree };

function leavesOf(tree: Tree, path: string): [path: string, value: string][] {
  if (typeof tree !== 'object' || tree === null) return [[path, String(tree)]];
  return Object.entries(tree).flatMap(([name, value]) => leavesOf(value, `${path}/${name}`));
}

/** As large as a Deployment with its status, and another in each round. */
function objectOf(round: number): Tree {
  const numbers = Array.from({ length: 12 }, (_, index) => (round * 7919 + index * 104_729) % 65_521);
  return {
    metadata: {
      name: `object-${round}`,
      labels: Object.fromEntries(numbers.map((number, index) => [`label-${index}`, `value-${number}`])),
      annotations: Object.fromEntries(
        numbers.map((number) => [`note-${number % 97}`, 'x'.repeat(number % 61)]),
      ),
    },
    spec: {
      replicas: round % 10,
      containers: numbers.map((number, index) => ({
        name: `container-${index}`,
        image: `registry.example/image-${number}:1.${index}`,
        ports: [{ containerPort: number, protocol: 'TCP' }],
        resources: { requests: { cpu: `${number % 1000}m`, memory: `${number}Ki` } },
        command: ['sh', '-c', `echo "${number}" \\ ä €`],
      })),
    },
    status: { ready: round % 3 === 0, observed: null, counts: numbers },
  };
}
