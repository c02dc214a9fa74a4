import { describe, expect, it } from 'vitest';
import { stepsOf } from './steps-of.ts';

const commands = (text: string): readonly string[] =>
  stepsOf(text).steps.flatMap((step) => (step.do === 'run' ? [step.command] : []));

describe('the steps of a document', () => {
  it('are the commands of its blocks, without comments, also within a list', () => {
    const text = 'Do:\n\n    npm start      # live\n    kubectl get np\n\n1. Then\n\n       npm test\n';
    expect(commands(text)).toEqual(['npm start', 'kubectl get np', 'npm test']);
  });

  it('are commands of several lines as one', () => {
    const text =
      '\n    kubectl get a \\\n      -o name | sh\n    kubectl get b | while read -r x; do\n      echo\n    done\n';
    expect(commands(text)).toEqual([
      'kubectl get a -o name | sh',
      'kubectl get b | while read -r x; do\necho\ndone',
    ]);
  });

  it('are whole commands of sentences, and not names of commands', () => {
    const text = 'Run `npm run check`, or `kubectl get np`. With `kubectl scale`, and `Ready`.';
    expect(commands(text)).toEqual(['npm run check', 'kubectl get np']);
  });

  it('are manifests between them, in order', () => {
    const text =
      '```yaml\nkind: A\n```\n\n    kubectl get a\n\n```ts\nnpm start\n```\n\n```\nbin/atoll-testbed up\n```\n';
    expect(stepsOf(text).steps).toEqual([
      { do: 'apply', manifest: 'kind: A' },
      { do: 'run', command: 'kubectl get a', inline: false },
      { do: 'run', command: 'bin/atoll-testbed up', inline: false },
    ]);
  });

  it('leave out a continued paragraph, and name which blocks have no command', () => {
    expect(stepsOf('- a\n      npm test\n\n    some output\n').others).toEqual(['some output']);
    expect(commands('- a\n      npm test\n')).toEqual([]);
  });
});
