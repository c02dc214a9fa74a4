import { kubernetesMinors } from '../packages/testbed/src/binaries/versions.ts';

const name = '--kubernetes';

/** The command line without `--kubernetes v1.x` or `--kubernetes=v1.x`, and the minor that it asks for; the last one counts. Throws where there is no such minor. */
export function takeKubernetesFlag(words: readonly string[]): {
  readonly minor: string | undefined;
  readonly others: readonly string[];
} {
  const others: string[] = [];
  let minor: string | undefined;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === name) minor = allowed(words[(at += 1)] ?? '');
    else if (word.startsWith(`${name}=`)) minor = allowed(word.slice(name.length + 1));
    else others.push(word);
  }
  return { minor, others };
}

function allowed(text: string): string {
  const minor = `v${text.replace(/^v/, '')}`;
  if (kubernetesMinors.includes(minor)) return minor;
  throw new Error(`${name} is "${text}". Allowed is ${kubernetesMinors.join(', ')}`);
}
