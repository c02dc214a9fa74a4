/** A process that wants to lead: `candidate.ts KUBECONFIG NAMESPACE IDENTITY`. Says every 20 ms whether it does. */
import {
  createClient,
  LeaderElector,
  loadKubeconfig,
  silentLogger,
  systemClock,
  terminationSignal,
} from '@atoll/kube';

const [path = '', namespace = '', identity = ''] = process.argv.slice(2);
const elector = new LeaderElector({
  client: createClient(await loadKubeconfig({ path })),
  lease: { namespace, name: 'candidates' },
  identity,
  clock: systemClock,
  logger: silentLogger,
  leaseDurationMs: 10_000,
  renewDeadlineMs: 6000,
  retryPeriodMs: 500,
  requestTimeoutMs: 2000,
  sendWithinMs: 2000,
  onStartedLeading: () => undefined,
});

function report(): void {
  process.stdout.write(`${JSON.stringify({ at: Date.now(), leads: elector.isLeader() })}\n`);
}

setInterval(report, 20);
const end = await elector.run(terminationSignal(process, silentLogger));
report();
process.exit(end === 'stopped' ? 0 : 1);
