import { describe, expect, it } from 'vitest';
import type { WrittenResources } from './read-resources.ts';
import { resourceProblem } from './resource-problem.ts';

describe('resources of a container', () => {
  it.each<readonly [string, WrittenResources]>([
    ['nothing', {}],
    ['requests alone', { requests: { cpu: '0.5', memory: '300m' } }],
    ['null, which is nothing', { requests: null, limits: null }],
    ['null beside others', { requests: { cpu: '1' }, limits: null }],
    ['numbers', { requests: { cpu: 2 }, limits: { cpu: '2000m' } }],
    [
      'devices with the same limit',
      { requests: { 'example.com/gpu': 1 }, limits: { 'example.com/gpu': '1' } },
    ],
    ['devices with a limit alone', { limits: { 'example.com/gpu': '1' } }],
    ['none of a processor', { requests: { cpu: '0' } }],
    ['huge pages beside a processor', { limits: { 'hugepages-2Mi': '4Mi', cpu: 1 } }],
    ["parts of what is in Kubernetes' own domain", { requests: { 'example.kubernetes.io/part': '500m' } }],
    ['huge pages beside memory', { limits: { 'hugepages-2Mi': '4Mi', memory: '1Gi' } }],
  ])('may be %s', (_, written) => {
    expect(resourceProblem(written)).toBeUndefined();
  });

  it.each<readonly [string, unknown]>([
    ['limits is no map', { limits: ['1'] }],
    ['limits.cpu is "much"; it must be a quantity', { limits: { cpu: 'much' } }],
    ['requests.cpu is "-1"; it must be at least 0', { requests: { cpu: '-1' } }],
    [
      'requests.cpu is 2; it must not be more than limits.cpu, which is 1500m',
      { requests: { cpu: '2' }, limits: { cpu: '1500m' } },
    ],
    ['requests.gpu is "1"; gpu is no resource of containers', { requests: { gpu: '1' } }],
    ['limits.example.com/ is "1"; example.com/ is no name', { limits: { 'example.com/': '1' } }],
    ['limits.example.com/gpu is "500m"; it must be a whole', { limits: { 'example.com/gpu': '500m' } }],
    ['requests.example.com/gpu is 1; limits.example.com/gpu must be', { requests: { 'example.com/gpu': 1 } }],
    [
      'requests.hugepages-2Mi is 2Mi; it must be the same as limits.hugepages-2Mi, which is 4Mi',
      { requests: { 'hugepages-2Mi': '2Mi', cpu: 1 }, limits: { 'hugepages-2Mi': '4Mi' } },
    ],
    ['hugepages-2Mi is asked for alone', { limits: { 'hugepages-2Mi': '4Mi' } }],
  ])('that the API server refuses: %s', (problem, written) => {
    expect(resourceProblem(written as WrittenResources)).toContain(problem);
  });

  it('are read from an annotation however deep they are', () => {
    const levels = 100_000;
    const cpu = JSON.parse(`${'['.repeat(levels)}1${']'.repeat(levels)}`) as string;
    expect(resourceProblem({ limits: { cpu } })).toBe(
      `limits.cpu is ${'['.repeat(100)}; it must be a quantity, as 500m or 2Gi`,
    );
  });
});
