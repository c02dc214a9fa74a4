import { expect, it } from 'vitest';
import { endedPrograms, restartedSince, restartsOf } from './ended-programs.ts';

const exit = { code: 255, signal: null };
const running = (name: string) => ({ name, pid: 7, lastExit: undefined, lastWords: () => '' });
const ended = (name: string) => ({ name, pid: undefined, lastExit: exit, lastWords: () => 'panic: …' });

it('names the programs that do not run, how they ended and what they logged last', () => {
  const components = [running('kwok'), ended('kube-scheduler')];
  expect(endedPrograms({ components, replicas: [], agents: [] })).toEqual([
    {
      rule: 'programs do not end by themselves',
      message: 'kube-scheduler ended (exit code 255): panic: …',
    },
  ]);
});

it('names an agent that does not run, or is another process than the one that was started', () => {
  const components = [running('agent-a'), running('agent-b'), ended('agent-c')];
  const agents = [7, 6, 5].map((pid, index) => ({ component: { name: `agent-${'abc'[index]}` }, pid }));
  const found = endedPrograms({ components, replicas: [], agents });
  expect(found.map(({ message }) => message.split(' ')[0])).toEqual(['agent-b', 'agent-c']);
});

it('leaves operators out, which end without their lease and are started again', () => {
  const components = [ended('operator-1')];
  expect(
    endedPrograms({ components, replicas: [{ component: { name: 'operator-1' } }], agents: [] }),
  ).toEqual([]);
});

it('names the programs that were started again since a count of them', () => {
  const components = (scheduler: number) => [
    { name: 'kube-scheduler', restarts: scheduler },
    { name: 'kwok', restarts: 0 },
  ];
  const before = restartsOf(components(1));
  expect(restartedSince(before, components(1))).toEqual([]);
  expect(restartedSince(before, components(2))).toEqual(['kube-scheduler']);
});
