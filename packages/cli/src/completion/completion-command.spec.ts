import { spawnSync } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { runKubectlEds } from '../eds/kubectl-eds.ts';
import { runServed } from '../eds/served.fixture.ts';

async function printed(...args: readonly string[]): Promise<string> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const argv = ['node', 'kubectl-eds', ...args];
  expect(await runKubectlEds({ argv, env: {}, stdout, stderr })).toBe(0);
  stdout.end();
  return text(stdout);
}

/** How a shell is asked for what may come next behind a line, one in each line. */
const asks = {
  bash: (line: string) =>
    `COMP_LINE=${quoted(line)}; COMP_POINT=\${#COMP_LINE}; _kubectl_eds; printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: (line: string) => {
    const words = line.split(' ');
    return `words=(${words.map(quoted).join(' ')}); CURRENT=${words.length}; PREFIX=${quoted(words.at(-1) ?? '')}; _kubectl_eds`;
  },
  fish: (line: string) => `complete -C ${quoted(line)}`,
} as const;

/** What of zsh is there only while it completes. */
const zshCompletes =
  'compdef() { }; compset() { }; _files() { print -r -- a-file }; compadd() { print -rl -- "${(@P)2}" }';

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

type Shell = keyof typeof asks;

/** Not every machine has all of them. */
const shells = (['bash', 'zsh', 'fish'] as const).filter(
  (shell) => spawnSync(shell, ['-c', 'true']).error === undefined,
);

/** What the shell offers where the program answers so. */
async function offered(shell: Shell, line: string, answer: readonly string[]) {
  const script = await printed('completion', shell);
  const words = answer.map(quoted).join(' ');
  const program =
    shell === 'fish'
      ? `function kubectl-eds; printf '%s\\n' ${words}; end`
      : `kubectl-eds() { printf '%s\\n' ${words}; }`;
  const around = shell === 'zsh' ? `${zshCompletes}\n` : '';
  const commands = `${around}${program}\n${script}\n${asks[shell](line)}`;
  const flag = shell === 'fish' ? '--no-config' : '-f';
  const { stdout, stderr } = spawnSync(shell, [flag, '-c', commands], { encoding: 'utf8' });
  return { words: stdout.split('\n').filter((each) => each !== ''), stderr };
}

describe.each(shells)('%s', (shell) => {
  it('takes a name that the API server gives for nothing but a name', async () => {
    const names = ['$(echo run >&2)', '${HOME}', '`echo run >&2`', 'a*', 'b c'];
    const { words, stderr } = await offered(shell, 'kubectl-eds canary pause ', [...names, ':4']);
    expect([words.toSorted(), stderr]).toEqual([names.toSorted(), '']);
  });

  it.each([
    ['where nothing may come next', ':4'],
    ['where the program fails', ''],
  ])('offers nothing, and no empty word, %s', async (_, answer) => {
    expect(await offered(shell, 'kubectl-eds nonsense ', [answer])).toEqual({ words: [], stderr: '' });
  });
});

it.each(shells.filter((shell) => shell === 'fish'))(
  '%s compares the whole word, so that the flag stands before its value',
  async (shell) => {
    const { words } = await offered(shell, 'kubectl-eds get --output=', ['json', 'yaml', ':4']);
    expect(words).toEqual(['--output=json', '--output=yaml']);
  },
);

it.each(shells.filter((shell) => shell !== 'bash'))(
  '%s offers files where one may come next',
  async (shell) => {
    const { words } = await offered(shell, 'kubectl-eds get --kubeconfig=package', [':0']);
    expect(words).toContain(shell === 'fish' ? '--kubeconfig=package.json' : 'a-file');
  },
);

describe('kubectl and its shells put what is before the sign in front', () => {
  it.each<[readonly string[], readonly string[]]>([
    [
      ['get', '--output='],
      ['wide', 'json', 'yaml', 'name', ':4'],
    ],
    [
      ['get', '-o=j'],
      ['json', ':4'],
    ],
    [['get', '--kubeconfig='], [':0']],
    [['get', '--kubeconfig', ''], [':0']],
    [['get', '--namespace='], [':4']],
  ])('%j', async (words, answer) => {
    expect((await printed('__complete', ...words)).trimEnd().split('\n')).toEqual(answer);
  });
});

describe('bash keeps what stands before its last break character', () => {
  const breaks = ' \t\n"\'><=;|&(:';

  it.each<[string, readonly string[]]>([
    ['kubectl-eds get --output=', ['wide', 'json', 'yaml', 'name', ':4']],
    ['kubectl-eds get --output=j', ['json', ':4']],
    ['kubectl-eds get -wo=j', ['json', ':4']],
    ['kubectl-eds get "--output=j', ['--output=json', ':4']],
    ['kubectl-eds get --outp', ['--output', '--output-watch-events', ':4']],
    ["kubectl-eds --context 'my own' --as system:admin canary val", ['validate', ':4']],
    ['kubectl-eds get --kubeconfig=', [':0']],
  ])('%s', async (line, answer) => {
    expect((await printed('__complete-line', breaks, line)).trimEnd().split('\n')).toEqual(answer);
  });

  it('and nothing where it parts at none', async () => {
    expect(await printed('__complete-line', ' \t\n', 'kubectl-eds get -o=j')).toBe('-o=json\n:4\n');
  });
});

it('a name that no API server gives is not offered: a shell may run what stands in it', async () => {
  const named = (name: string) => ({ metadata: { name, uid: name, resourceVersion: '1' } });
  const names = ['agent', 'a.b-1', '$(id)', '-rf', 'a b', "a'"];
  const list = { metadata: { resourceVersion: '5' }, items: names.map(named) };
  const { out } = await runServed(['__complete', 'canary', 'pause', ''], () => ({ body: list }), {
    run: async ({ argv, ...rest }) =>
      // The flags come before the word that is being written.
      runKubectlEds({ ...rest, argv: [...argv.slice(0, 3), ...argv.slice(-2), ...argv.slice(3, -2)] }),
  });
  expect(out.trimEnd().split('\n')).toEqual(['a.b-1', 'agent', ':4']);
});
