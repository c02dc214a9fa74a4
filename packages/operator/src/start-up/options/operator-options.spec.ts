import { parseAddress } from '@atoll/kube';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { metricsAddress, metricsNeedToken, webhookAddress } from './addresses.ts';
import { operatorCommand, readOptions, type OperatorOptions } from './operator-options.ts';

interface Parsed {
  readonly options: OperatorOptions | undefined;
  readonly output: string;
}

const controllers = [
  { name: 'node-pool', onByDefault: true },
  { name: 'image-pre-pull', onByDefault: false },
];

function parse(...args: readonly string[]): Parsed {
  let output = '';
  const write = (text: string): void => {
    output += text;
  };
  const command = operatorCommand('1.2.3', controllers)
    .exitOverride()
    .configureOutput({ writeErr: write, writeOut: write });
  try {
    command.parse([...args], { from: 'user' });
    return { options: readOptions(command), output };
  } catch {
    return { options: undefined, output };
  }
}

describe('the command line of the operator', () => {
  it('runs everything with safe defaults when no flag is given', () => {
    expect(parse().options).toEqual({
      kubeconfig: undefined,
      context: undefined,
      controllers: '*',
      namespaces: undefined,
      workers: 16,
      bindAddress: ':8080',
      metricsBindAddress: undefined,
      metricsCertDir: undefined,
      metricsRequireToken: undefined,
      debugObjects: false,
      leaderElect: true,
      leaseDurationMs: 15_000,
      renewDeadlineMs: 10_000,
      retryPeriodMs: 2_000,
      leaseNamespace: undefined,
      leaseName: 'atoll',
      webhookBindAddress: undefined,
      webhookUrl: undefined,
      webhookCertDir: undefined,
      webhookInjectCaFrom: undefined,
      canaryValidationMode: 'auto',
      logLevel: 'info',
      logFormat: 'json',
    });
  });

  it('takes each option in the syntax of kube-controller-manager', () => {
    const { options } = parse(
      '--controllers=*,-node-pool',
      '--leader-elect=false',
      '--leader-elect-lease-duration=1m',
      '--bind-address=[::1]:9090',
      '--workers=8',
      '--namespaces=edge,lab,edge',
    );
    expect(options).toMatchObject({
      controllers: '*,-node-pool',
      leaderElect: false,
      leaseDurationMs: 60_000,
      bindAddress: '[::1]:9090',
      workers: 8,
      namespaces: ['edge', 'lab'],
    });
  });

  it.each([
    [['--workers=0'], "argument '0' is invalid. Allowed is a whole number from 1 to 9999."],
    [['--namespaces='], 'Allowed is a list of namespaces like edge,lab; "" must not be empty.'],
    [['--namespaces=edge,'], '"" must not be empty.'],
    [['--namespaces=edge,Lab'], '"Lab" must consist of lower case letters'],
    [['--namespaces=edge, lab'], '" lab" must consist of'],
    [['--leader-elect=maybe'], "argument 'maybe' is invalid. Allowed is true or false."],
    [['--leader-elect-retry-period=5'], "argument '5' is invalid. Allowed is a duration of at least 100ms"],
    [['--bind-address=8080'], "argument '8080' is invalid. Allowed is host:port"],
    [['--bind-address=:99999'], "argument ':99999' is invalid"],
    [['--bind-address=[zz]:80'], "argument '[zz]:80' is invalid. Allowed is host:port, [IPv6]:port"],
    [['--bind-address=[:::]:80'], "argument '[:::]:80' is invalid"],
    [['--kubeconfig='], "argument '' is invalid. Allowed is the path of a kubeconfig."],
    [['--context='], "argument '' is invalid. Allowed is the name of a context."],
    [['--leader-elect-resource-name=A b'], "argument 'A b' is invalid. Allowed is the name of a Lease"],
    [
      ['--leader-elect-resource-namespace=A_b'],
      "argument 'A_b' is invalid. Allowed is the name of a namespace",
    ],
    [['--log-level=loud'], 'Allowed choices are debug, info, warn, error.'],
    [['--leader-elect-renew-deadline=12s'], 'by more than 4s'],
    [
      ['--leader-elect-retry-period=9s'],
      '1.2 times --leader-elect-retry-period (9s) must be shorter than --leader-elect-renew-deadline (10s)',
    ],
    [['--webhook-bind-address=:1', '--webhook-url=http://x'], 'Allowed is https://host:port'],
    [['--webhook-url=https://x:1'], '--webhook-url needs --webhook-bind-address'],
    [['--metrics-bind-address=8443'], "argument '8443' is invalid. Allowed is host:port"],
    [
      ['--metrics-bind-address=0', '--metrics-cert-dir=/c'],
      '--metrics-cert-dir needs --metrics-bind-address',
    ],
    [['--metrics-cert-dir='], 'Allowed is the path of a directory'],
    [['--webhook-inject-ca-from=a'], 'Allowed is namespace/name.'],
    [['--webhook-inject-ca-from=a/b'], '--webhook-inject-ca-from needs --webhook-cert-dir'],
    [['--canary-validation-mode=Manual'], 'Allowed is auto or manual.'],
    [['--contrllers=*'], "unknown option '--contrllers=*'"],
    [['extra'], 'too many arguments'],
  ])('%j is refused with one clear message', (args, message) => {
    const { options, output } = parse(...args);
    expect(options).toBeUndefined();
    expect(output).toContain(message);
  });

  it.each([
    [['--metrics-bind-address=:8080'], '--metrics-bind-address (:8080) and --bind-address (:8080)'],
    [
      ['--bind-address=127.0.0.1:1', '--webhook-bind-address=:1'],
      '--webhook-bind-address (:1) and --bind-address (127.0.0.1:1)',
    ],
    [
      ['--metrics-bind-address=[::1]:1', '--webhook-bind-address=[::1]:1'],
      '--webhook-bind-address ([::1]:1) and --metrics-bind-address ([::1]:1)',
    ],
  ])('%j is refused, because one port cannot serve two', (args, message) => {
    const { options, output } = parse(...args);
    expect(options).toBeUndefined();
    expect(output).toContain(`error: ${message} are the same port: give each its own`);
  });

  it.each([
    [['--bind-address=127.0.0.1:1', '--metrics-bind-address=127.0.0.2:1']],
    [['--bind-address=:0', '--metrics-bind-address=:0', '--webhook-bind-address=:0']],
    [['--bind-address=0', '--metrics-bind-address=0', '--webhook-bind-address=0']],
  ])('%j are different ports', (args) => {
    expect(parse(...args).options).toBeDefined();
  });

  // 0.0.0.0 would be IPv4 alone: a kubelet would restart each pod of a cluster of IPv6, where it reaches no probe.
  it('serves health on every address by default, of IPv4 and of IPv6', () => {
    const { bindAddress = '' } = parse().options ?? {};
    expect(parseAddress(bindAddress)).toEqual({ host: undefined, port: 8080 });
  });

  it('has no option without an effect, as the old ExtendedDaemonSet operator had (BUG-27)', () => {
    expect(parse('--ignoreEvictedPods').output).toContain("unknown option '--ignoreEvictedPods'");
  });

  it.each<readonly [string | undefined, boolean, string | undefined]>([
    [undefined, true, ':9443'],
    [undefined, false, undefined],
    ['0', true, undefined],
    ['127.0.0.1:0', false, '127.0.0.1:0'],
  ])(
    '--webhook-bind-address %s serves, in a cluster: %s, at %s',
    (webhookBindAddress, inCluster, address) => {
      expect(webhookAddress({ webhookBindAddress }, inCluster)).toBe(address);
    },
  );

  it.each<readonly [readonly string[], boolean, string | undefined]>([
    [[], true, ':8443'],
    [['--bind-address=:8080'], true, ':8443'],
    [['--bind-address=10.0.0.1:8080'], true, ':8443'],
    // Nobody else reaches these: what was there stays there.
    [['--bind-address=127.0.0.1:8080'], true, undefined],
    [['--bind-address=[::1]:8080'], true, undefined],
    [['--bind-address=0'], true, undefined],
    [[], false, undefined],
    [['--metrics-bind-address=0'], true, undefined],
    [['--metrics-bind-address=:9000'], true, ':9000'],
    [['--metrics-bind-address=127.0.0.1:0'], false, '127.0.0.1:0'],
    [['--bind-address=0', '--metrics-bind-address=:9000'], true, ':9000'],
  ])('with %j metrics are served over HTTPS, in a cluster: %s, at %s', (args, inCluster, address) => {
    const { options } = parse(...args);
    expect(options && metricsAddress(options, inCluster)).toBe(address);
  });

  it.each([
    ['0.0.0.0:8080', [], true],
    [':8080', [], true],
    ['10.0.0.1:8080', [], true],
    ['metrics.example:8080', [], true],
    ['127.0.0.1.example:8080', [], true],
    ['127.0.0.1:8080', [], false],
    ['localhost:8080', [], false],
    ['[::1]:8080', [], false],
    ['127.0.0.1:8080', ['--metrics-require-token=true'], true],
    ['0.0.0.0:8080', ['--metrics-require-token=false'], false],
  ])('metrics at %s with %j need a token: %s', (address, args, needed) => {
    const { options } = parse(...args);
    expect(options && metricsNeedToken(options, address)).toBe(needed);
  });

  describe('the old operator’s variable EDS_VALIDATION_MODE', () => {
    afterEach(() => vi.unstubAllEnvs());

    it.each([
      ['manual', [], 'manual'],
      ['', [], 'auto'],
      ['manual', ['--canary-validation-mode=auto'], 'auto'],
    ])('%j with %j means %s', (value, args, mode) => {
      vi.stubEnv('EDS_VALIDATION_MODE', value);
      expect(parse(...args).options?.canaryValidationMode).toBe(mode);
    });

    it('with another value is refused with one clear message', () => {
      vi.stubEnv('EDS_VALIDATION_MODE', 'none');
      const { options, output } = parse();
      expect(options).toBeUndefined();
      expect(output).toContain(
        "value 'none' from env 'EDS_VALIDATION_MODE' is invalid. Allowed is auto or manual.",
      );
    });
  });

  it('explains itself', () => {
    const { output } = parse('--help');
    expect(output).toContain('Controllers: node-pool, image-pre-pull (off by default)');
    expect(output).toContain('Exit codes: 0 ended as asked');
    // By which a pod is told its namespace; nothing else is looked at.
    expect(output).toContain('(default: $POD_NAMESPACE, or "atoll-system")');
  });
});

describe('the help of the operator', () => {
  const { options } = operatorCommand('1.2.3', controllers);
  const shown = options.filter(({ defaultValue }) => defaultValue !== undefined);

  it.each(shown.map((option) => [option.long ?? '', option] as const))(
    'shows a default of %s that the flag takes, and that means the same',
    (flag, option) => {
      const text = option.defaultValueDescription ?? String(option.defaultValue);
      const attribute = option.attributeName();
      const given = operatorCommand('1.2.3', controllers).exitOverride();
      given.parse([`${flag}=${text}`], { from: 'user' });
      expect(given.opts()[attribute]).toEqual(option.defaultValue);
    },
  );
});
