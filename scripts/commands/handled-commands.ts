import packageJson from '../../package.json' with { type: 'json' };

/**
 * What becomes of each command of the documents when they are tested (`start/integration/documents.spec.ts`): it is run, a test
 * of its own runs it, or it says why none does. `handled-commands.spec.ts` holds the list complete.
 */
export type Handling =
  /** In a fresh clone without anything installed, by the oldest Node that `package.json` allows; `as`: what is run in its place. */
  | { readonly run: 'in a fresh clone'; readonly as?: string }
  /**
   * In the order of its document, on a control plane, in that clone; `as`: with names in the place of placeholders; `since`: the minor of
   * the first kubectl that has it.
   */
  | { readonly run: 'with its document'; readonly as?: string; readonly since?: number }
  /** By another test. */
  | { readonly testedBy: string }
  | { readonly notRun: string };

const inClone = (as?: string): Handling => ({
  run: 'in a fresh clone',
  ...(as === undefined ? {} : { as }),
});
const inDocument = (as?: string, since?: number): Handling => ({
  run: 'with its document',
  ...(as === undefined ? {} : { as }),
  ...(since === undefined ? {} : { since }),
});

const embedded = { testedBy: 'start/integration/embedded.spec.ts' };
const attached = { testedBy: 'start/integration/attached.spec.ts' };
const takingOut = { testedBy: 'packages/operator/integration/take-over/taking-out.spec.ts' };
const goingBack = { testedBy: 'packages/operator/integration/take-over/going-back.spec.ts' };
const ota = { testedBy: 'packages/agent/integration/with-operator.spec.ts' };
const release = { testedBy: 'scripts/integration/release.spec.ts' };
const releaseFields = { testedBy: 'scripts/integration/release-fields.spec.ts' };
const overHttps = { testedBy: 'packages/operator/integration/security/metrics-over-https.spec.ts' };
const access = { testedBy: 'packages/operator/integration/security/access.spec.ts' };
const image = {
  notRun: 'it needs a container engine; scripts/integration/images.spec.ts runs what goes into the image',
};
const packing = { testedBy: 'scripts/integration/chart.spec.ts' };
const inPod = { notRun: 'it needs the operator in a pod, which needs a container engine' };
const life = { testedBy: 'packages/testbed/integration/life-and-death.spec.ts' };
const mention = { notRun: 'a sentence names it, with a placeholder' };
const tooLong = {
  notRun: 'it is the tests themselves, or takes an hour; the same script runs above with one file',
};
const past = { notRun: 'a report of the past: what was run then' };

/** Tests of one file, because all of them take an hour, of which these are a part. */
const oneFile = 'npm run test:unit -- scripts/commands/steps-of.spec.ts';

const podsThere =
  "kubectl get pods -A --sort-by=.metadata.uid -o custom-columns='UID:.metadata.uid,NAMESPACE:.metadata.namespace,NAME:.metadata.name,RESTARTS:.status.containerStatuses[*].restartCount'";

export const handledCommands: Readonly<Record<string, Handling>> = {
  'git clone <this repository> atoll && cd atoll': inClone('git --version'),
  'npm start': embedded,
  'npm start -- --once': { testedBy: 'start/integration/documents.spec.ts' },
  'npm start -- --kubeconfig ~/.kube/config': attached,
  'npm start -- --kubeconfig FILE': attached,
  'npm start -- --kubeconfig': attached,
  'npm test': tooLong,
  'npm run test:all': tooLong,
  'npm run': mention,
  'npm run check': { notRun: 'it is run before every change is landed' },
  'npm run test:unit': inClone(oneFile),
  'npm run test:unit -- packages/kube/src/values/quantity.spec.ts -t canonical': inClone(),
  'npm run test:unit -- <file> -u': inClone(oneFile),
  'npm run test:explore': tooLong,
  'npm run test:integration': tooLong,
  'npm run test:long': tooLong,
  'npm run build': inClone(),
  'npm run build -- --downloads <where the archives will be>': {
    testedBy: 'scripts/integration/downloads.spec.ts',
  },
  // The version that it has: commands of other documents come after it in the same clone.
  'node scripts/run.mjs scripts/set-version.ts <version>': inClone(
    `node scripts/run.mjs scripts/set-version.ts ${packageJson.version}`,
  ),
  'node scripts/run.mjs scripts/release-notes.ts <version> | git tag -a v<version> --cleanup=whitespace -F -':
    {
      testedBy: 'scripts/release/release-notes.spec.ts',
    },
  'git push --atomic origin main v<version>': { notRun: 'it publishes' },
  "git commit -am 'release: <version>'": { notRun: 'it is a commit of the main line' },
  'npm install --package-lock-only --ignore-scripts': {
    notRun: 'npm ci refuses a lock file that does not fit, and begins every run in a fresh clone',
  },
  'docker buildx build --platform linux/amd64,linux/arm64 -f deploy/images/operator.Dockerfile -t <registry>/atoll-operator:<version> --output type=registry,rewrite-timestamp=true .':
    image,
  'export SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)': inClone(),
  'git archive v<version> deploy | tar -x -C <an empty folder>': packing,
  'helm package <an empty folder>/deploy/helm/atoll': packing,
  'npm run test:unit -- packages/operator/src/engine/executor': past,
  'git checkout packages/operator/src/engine/executor': past,
  'npm run test:unit -- packages/operator/src/extended-daemon-set': past,
  'git checkout packages': past,
  'kubectl delete eds <name> --cascade=orphan': {
    testedBy: 'packages/operator/integration/extended-daemon-set/migration.spec.ts',
  },
  'kubectl delete ers -l extendeddaemonset.datadoghq.com/name=<name> --cascade=orphan': {
    testedBy: 'packages/operator/integration/extended-daemon-set/migration.spec.ts',
  },
  'kubectl delete podtemplate <name>': { notRun: 'it deletes one object by its name, as kubectl does' },
  'kubectl get configmap shop -o yaml': { testedBy: 'examples/operator/operator.spec.ts' },
  'kubectl -n atoll-system get pods,leases': mention,
  'kubectl get np,udd,yad,ud,eds -A': inDocument(),
  'kubectl get np,udd,yad,ud,eds -A -o wide': inDocument(),
  'kubectl -n atoll-system get lease atoll -o yaml': mention,
  'kubectl -n atoll-system logs -l app.kubernetes.io/component=operator --prefix --tail=50': inPod,
  'kubectl -n atoll-system logs -l app.kubernetes.io/component=operator --prefix --tail=50 --previous --ignore-errors':
    inPod,
  'kubectl eds canary pods <name>': { testedBy: 'packages/cli/integration/kubectl-eds.spec.ts' },
  'kubectl eds -n edge canary validate agent': { testedBy: 'packages/cli/src/eds/command-line.spec.ts' },
  'kubectl eds canary unpause': { testedBy: 'packages/cli/integration/kubectl-eds.spec.ts' },
  'kubectl eds canary unpause <name>': { testedBy: 'packages/cli/integration/kubectl-eds.spec.ts' },
  'kubectl eds canary validate <name>': { testedBy: 'packages/cli/integration/kubectl-eds.spec.ts' },
  'kubectl eds canary fail': { testedBy: 'packages/cli/integration/kubectl-eds.spec.ts' },
  'kubectl eds pods <name> --select not-ready': { testedBy: 'packages/cli/integration/kubectl-eds.spec.ts' },
  'kubectl -n argocd patch configmap argocd-cm --type merge --patch-file deploy/argocd/argocd-cm.patch.yaml':
    {
      notRun: 'it needs Argo CD; scripts/integration/health.spec.ts runs the script of the patch',
    },
  'kubectl wait ds/<name> --for=condition=atoll.dev/UpToDate': {
    testedBy: 'packages/operator/integration/daemon-set/daemon-set-upgrade.spec.ts',
  },
  'npm run fuzz': inClone('npm run fuzz -- --help'),
  'npm run fuzz -- --objects 200': tooLong,
  'npm run chaos -- --minutes 20 --nodes 200 --settle-seconds 180': tooLong,
  'npm run chaos': inClone('npm run chaos -- --help'),
  'npm run chaos -- --nodes 60 --pools 8 --objects 4 --daemon-nodes 20 --minutes 12 --round-seconds 90 --settle-seconds 240':
    past,
  'npm run chaos -- --minutes 60 --settle-seconds 180': past,
  'npm run chaos -- --minutes 70 --settle-seconds 180': past,
  'npm run chaos -- --minutes 240 --settle-seconds 180': past,
  'npm run chaos -- --minutes 100 --settle-seconds 180': past,
  'npm run chaos -- --minutes 115 --settle-seconds 180': past,
  'npm run chaos -- --minutes 20 --settle-seconds 180': past,
  'npm run chaos -- --minutes 32 --settle-seconds 180': past,
  'npm run chaos -- --nodes 12 --pools 3 --objects 1 --daemon-nodes 8 --minutes 1 --round-seconds 60 --settle-seconds 240 --faults agent-disk-full,kill':
    past,
  'npm run bench -- node-agent': tooLong,
  'npm run generate': inClone('npm run generate -- --check'),
  'npm run format': inClone('npm run format -- --version'),
  'npm run bench': inClone('npm run bench -- --help'),
  'npm run bench -- <scenario>': inClone('npm run bench -- --help'),
  'npm run bench -- client': tooLong,
  'npm run bench -- webhook': tooLong,
  'npm run bench -- pools': tooLong,
  'npm run bench -- united-deployments --rest 60': tooLong,
  'npm run bench -- daemon-set-upgrade': tooLong,
  'npm run bench -- extended-daemonset': tooLong,
  'npm run test:long -- packages/operator/integration/faults/kill.long.spec.ts': past,
  'npm run test:integration -- packages/operator/integration/faults/kill.spec.ts': past,
  'npm run test:long -- packages/operator/integration/faults/united-deployment-kill.long.spec.ts': past,
  'npm run test:integration -- packages/operator/integration/faults/united-deployment-kill.spec.ts': past,
  'npm run test:integration -- packages/operator/integration/faults/cut.spec.ts': past,
  'npm run test:integration -- packages/operator/integration/faults/failover.spec.ts': past,
  'npm run test:integration -- packages/operator/integration/faults/failover-old-caches.spec.ts': past,
  'npm run test:integration -- packages/operator/integration/faults/slow-webhook.spec.ts': past,
  'npm run test:integration -- packages/operator/integration/faults/refused-writes.spec.ts': past,
  'npm run test:long -- packages/operator/integration/faults/refused-writes.long.spec.ts': past,
  'npm run test:integration -- packages/operator/integration/faults/one-namespace.spec.ts': past,
  'npm run test:integration -- packages/operator/integration/start.spec.ts': past,
  'npm run test:integration -- packages/operator/integration/pools/membership.spec.ts -t "fifty times of fifty"':
    past,
  'npm run test:integration -- packages/operator/integration/faults/deep-objects.spec.ts packages/kube/integration/restored-store.spec.ts':
    past,
  'kubectl events --for ud/x': past,
  'node scripts/run.mjs examples/operator/website-operator.ts': {
    testedBy: 'examples/operator/operator.spec.ts',
  },
  'npm install <clone>/dist/atoll-kube-0.8.0.tgz': { testedBy: 'examples/operator/operator.spec.ts' },
  'npm install --save-dev <clone>/dist/atoll-testbed-0.8.0.tgz': {
    testedBy: 'examples/operator/operator.spec.ts',
  },
  'npm run try': { testedBy: 'examples/operator/operator.spec.ts' },
  'npm run build && npm prune --omit=dev': { testedBy: 'examples/operator/operator.spec.ts' },
  'docker build -t <your registry>/website-operator:1.0.0 .': {
    notRun: 'it needs a container engine; examples/operator/operator.spec.ts runs what goes into the image',
  },
  'kubectl apply -f deploy.yaml': { testedBy: 'examples/operator/operator.spec.ts' },
  'node dist/kubectl-eds.mjs …': mention,
  'npm run test:integration -- --kubernetes v1.30': mention,
  'kubectl krew install --manifest=dist/krew/eds.yaml --archive=dist/kubectl-eds-0.8.0.tar.gz': {
    testedBy: 'scripts/integration/downloads.spec.ts',
  },

  'bin/atoll-operator': { testedBy: 'start/integration/documents.spec.ts' },
  'bin/atoll-agent --node-name $NODE_NAME': inClone('bin/atoll-agent --help'),
  'bin/atoll-agent upgrade': inClone('bin/atoll-agent upgrade --help'),
  'bin/atoll-agent upgrade default/web-x1': ota,
  'bin/atoll-agent upgrade --all': ota,
  'bin/atoll-testbed up': life,
  'bin/atoll-testbed up --pools 3 --detach': inDocument(),
  'bin/atoll-testbed status': inDocument(),
  'bin/atoll-testbed nodes add --pool pool-4 --count 2': inDocument(),
  'bin/atoll-testbed nodes label pool-4-node-1 tier=gold': inDocument(),
  'bin/atoll-testbed down': inDocument(),
  'bin/atoll-testbed binaries': inDocument(),
  'export PATH="$PWD/bin:$PATH"': inDocument('true'),
  'kubectl eds --help': inDocument(),
  'check-eds upgrade <eds>': inDocument('check-eds upgrade agent'),

  'kubectl apply --server-side -f deploy/crds -f deploy/policies.yaml -f deploy/rbac.yaml -f deploy/webhooks.yaml':
    inDocument(),
  'kubectl label node <node> apps.openyurt.io/nodepool=hangzhou': inDocument(
    'kubectl label node node-1 apps.openyurt.io/nodepool=hangzhou --overwrite',
  ),
  'kubectl get np': inDocument(),
  'kubectl wait yad/web --for=condition=Ready --timeout=5m': inDocument(),
  'kubectl get yad web -o wide': inDocument(),
  'kubectl get deployments -l app=web': inDocument(),
  'kubectl scale ud/shop --replicas=8': inDocument(),
  'kubectl scale ud/<name>': inDocument('kubectl scale ud/shop --replicas=6'),
  'kubectl get ud shop -o wide': inDocument(),
  'kubectl annotate ud shop atoll.dev/subset-removal=AfterReplacement': inDocument(),
  'kubectl get yad web -o jsonpath=\'{.status.conditions[?(@.type=="Ready")]}\'': inDocument(),
  'kubectl label node n1 apps.openyurt.io/nodepool=hz': inDocument(
    'kubectl label node node-2 apps.openyurt.io/nodepool=hangzhou --overwrite',
  ),
  'kubectl label node n1 apps.openyurt.io/nodepool-': inDocument(
    'kubectl label node node-2 apps.openyurt.io/nodepool-',
  ),
  'kubectl wait ds/agent --for=condition=atoll.dev/UpToDate --timeout=10m': inDocument(),
  'kubectl describe ds agent': inDocument(),
  'kubectl get ds agent -o \'custom-columns=NAME:.metadata.name,STATE:.status.conditions[?(@.type=="atoll.dev/UpToDate")].message\'':
    inDocument(),

  'docker build -f deploy/images/operator.Dockerfile -t <registry>/atoll-operator:0.8.0 .': image,
  'docker build -f deploy/images/agent.Dockerfile -t <registry>/atoll-agent:0.8.0 .': image,
  'docker build -f deploy/images/cli.Dockerfile -t <registry>/atoll-cli:0.8.0 .': image,
  'helm install atoll deploy/helm/atoll --namespace atoll-system --create-namespace --set image.repository=<registry>/atoll-operator':
    release,
  'kubectl create namespace edge': release,
  'kubectl create namespace team-a': releaseFields,
  "helm template atoll deploy/helm/atoll --namespace team-a --set 'namespaces={edge,lab}' --set image.repository=<registry>/atoll-operator | kubectl apply --server-side -f -":
    releaseFields,
  "helm install atoll deploy/helm/atoll --namespace team-a --create-namespace --set 'namespaces={edge,lab}' --set image.repository=<registry>/atoll-operator":
    release,
  "helm install atoll deploy/helm/atoll --namespace team-b --create-namespace --set 'namespaces={south},controllers=*\\,-node-pool,crds.install=false,policies.install=false' --set image.repository=<registry>/atoll-operator":
    release,
  'helm install atoll deploy/helm/atoll --namespace atoll-system --create-namespace --take-ownership --set image.repository=<registry>/atoll-operator':
    release,
  'kubectl replace --field-manager=helm -f deploy/crds/apps.openyurt.io_nodepools.yaml': release,
  'kubectl apply --server-side --force-conflicts --field-manager=helm -f deploy/crds': release,
  'kubectl -n atoll-system scale deployment atoll --replicas=0': releaseFields,
  'kubectl -n atoll-system scale deployment atoll --replicas=2': mention,
  'kubectl rollout pause deployment <child>': mention,
  'kubectl rollout resume deployment <child>': mention,
  'kubectl patch eds <name> --subresource=status --type=merge -p \'{"status":{"activeReplicaSet":"<replica set>"}}\'':
    mention,
  'kubectl -n atoll-system rollout restart deployment atoll': inPod,
  'kubectl get --raw "/api/v1/namespaces/atoll-system/pods/<pod>:8080/proxy/readyz?verbose"': inPod,
  'kubectl -n atoll-system port-forward <pod> 8080 &': inPod,
  'curl "localhost:8080/readyz?verbose"': inPod,
  'kubectl -n atoll-system logs -l app.kubernetes.io/component=operator --prefix --tail=-1 | grep \'"key":"default/web"\'':
    inPod,
  'kubectl -n atoll-system delete daemonset atoll-agent': mention,
  'kubectl delete -f deploy/optional/agent.yaml --ignore-not-found': takingOut,
  'kubectl apply --server-side -f deploy/install.yaml': inDocument(),
  'kubectl apply --server-side -f deploy/policies.yaml -f deploy/rbac.yaml -f deploy/webhooks.yaml -f deploy/optional/operator.yaml':
    inDocument(),
  'helm upgrade atoll deploy/helm/atoll --namespace atoll-system --reset-then-reuse-values': releaseFields,
  'helm upgrade atoll <older chart> --namespace atoll-system --reset-then-reuse-values --set crds.install=false':
    releaseFields,
  'kubectl delete clusterrole,clusterrolebinding atoll --ignore-not-found': inDocument(),
  'helm uninstall atoll --namespace atoll-system': release,
  'kubectl delete namespace atoll-system --ignore-not-found': {
    notRun:
      'it would take what the commands after it need; the same namespace goes with deploy/rbac.yaml when Atoll is taken out',
  },
  'kubectl apply -f examples/extended-daemon-set.yaml': inDocument(),
  'kubectl get eds,ers': inDocument(),
  'kubectl get extendeddaemonsetsettings -A': inDocument(),
  'kubectl explain nodepool.spec': inDocument(),
  'kubectl explain uniteddaemonset.spec': inDocument(),
  'kubectl explain yurtappdaemon.spec': inDocument(),
  'kubectl explain uniteddeployment.spec': inDocument(),
  'kubectl explain extendeddaemonset.spec': inDocument(),
  'kubectl explain extendeddaemonsetreplicaset.spec': inDocument(),
  'kubectl explain extendeddaemonsetsetting.spec': inDocument(),
  'kubectl eds get': inDocument(),
  'kubectl eds canary validate': mention,
  'kubectl eds canary pause': mention,
  'kubectl eds freeze-rollout': mention,
  'kubectl eds diff': mention,
  'kubectl rollout restart': mention,
  'kubectl rollout status': mention,
  'kubectl rollout undo': mention,
  'kubectl delete daemonset <name> --cascade=orphan': {
    testedBy: 'packages/operator/integration/extended-daemon-set/migration.spec.ts',
  },
  'kubectl get -f deploy/crds': inDocument(),
  'kubectl describe yad web': inDocument(),
  'kubectl describe ds <name>': inDocument('kubectl describe ds -A'),
  'kubectl describe node <node>': inDocument('kubectl describe node node-1'),
  'kubectl events --for yad/web': inDocument(),
  'kubectl get events -A --field-selector type=Warning': inDocument(),
  'kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations': inDocument(),
  'kubectl get mutatingwebhookconfigurations,validatingwebhookconfigurations': inDocument(),
  'kubectl wait --for=condition=Ready': mention,
  'kubectl apply --server-side': mention,
  'kubectl scale --replicas=3': mention,
  'kubectl apply --server-side --force-conflicts': mention,
  'kubectl apply --dry-run=server': mention,
  'kubectl delete -f deploy/…': mention,
  'kubectl delete -f deploy/install.yaml': takingOut,
  'kubectl delete -f deploy/webhooks.yaml -f deploy/rbac.yaml --ignore-not-found': {
    notRun:
      'it would take what the commands after it need; the removal of all that Atoll made deletes the same files',
  },
  'kubectl apply --server-side -f deploy/optional/agent.yaml': inDocument(),
  'kubectl create token atoll-agent -n atoll-system --bound-object-kind Node --bound-object-name <node>':
    inDocument(
      'kubectl create token atoll-agent -n atoll-system --bound-object-kind Node --bound-object-name node-1',
      31,
    ),
  "curl -s localhost:10267/pods?upgradable=true | jq -r '.items[].metadata.name'": ota,
  'curl -X POST localhost:10267/openyurt.io/v1/namespaces/default/pods/web-x1/upgrade': ota,

  'kubectl -n monitoring create serviceaccount atoll-scraper': access,
  'kubectl create clusterrolebinding atoll-scraper --clusterrole=atoll-metrics-reader --serviceaccount=monitoring:atoll-scraper':
    inDocument(),
  "kubectl create clusterrole atoll-debug --verb=get,put --non-resource-url='/debug/*'": inDocument(),
  'kubectl create serviceaccount engineer': inDocument(),
  'kubectl create clusterrolebinding atoll-debug-engineer --clusterrole=atoll-debug --serviceaccount=default:engineer':
    inDocument(),
  "kubectl -n atoll-system get secret atoll-webhook -o jsonpath='{.data.ca\\.crt}' | base64 -d > atoll.crt":
    overHttps,
  'kubectl -n atoll-system port-forward deploy/atoll 8443 &': overHttps,
  'curl --cacert atoll.crt --connect-to ::127.0.0.1 -H "Authorization: Bearer $(kubectl create token engineer)" https://atoll-metrics.atoll-system.svc:8443/debug/objects/nodepools/hangzhou':
    overHttps,
  'curl --cacert atoll.crt --connect-to ::127.0.0.1 -H "Authorization: Bearer $(kubectl create token engineer)" -X PUT -d debug https://atoll-metrics.atoll-system.svc:8443/debug/log-level':
    overHttps,

  'kubectl delete -f deploy/optional/operator.yaml --ignore-not-found': takingOut,
  'kubectl delete mutatingwebhookconfiguration,validatingwebhookconfiguration atoll --ignore-not-found':
    takingOut,
  'kubectl delete -f deploy/policies.yaml --ignore-not-found': takingOut,
  'kubectl delete uniteddaemonsets,yurtappdaemons,uniteddeployments --all -A --cascade=orphan': takingOut,
  'kubectl delete extendeddaemonsets,extendeddaemonsetreplicasets --all -A --cascade=orphan': takingOut,
  'kubectl annotate -f deploy/crds atoll.dev/allow-deletion=true --overwrite': takingOut,
  'kubectl delete -f deploy/crds -f deploy/webhooks.yaml -f deploy/rbac.yaml --ignore-not-found': takingOut,
  'kubectl delete uniteddaemonsets,yurtappdaemons,uniteddeployments,extendeddaemonsets --all -A --cascade=foreground':
    takingOut,
  'kubectl get daemonsets -A -o go-template-file=deploy/optional/conditions-of-atoll.gotmpl | sh -e':
    takingOut,
  'kubectl label nodes --all apps.openyurt.io/nodepool- apps.openyurt.io/desired-nodepool-': takingOut,
  'kubectl annotate nodes --all atoll.dev/kept-labels-': takingOut,
  "while kubectl get nodes,nodepools -o yaml | grep -q -e previous-attributes -e earlier-attributes -e 'NodeNum: [1-9]'; do sleep 1; done":
    takingOut,
  'kubectl delete nodepools --all': takingOut,

  'kubectl get yurtappdaemons -A -o wide': inDocument(),
  'kubectl get yurtappoverriders -A': { notRun: 'its kind is there with OpenYurt 1.4 to 1.6 only' },
  'kubectl get nodepools': inDocument(),
  'kubectl get nodes -L apps.openyurt.io/nodepool,apps.openyurt.io/desired-nodepool': inDocument(),
  'kubectl -n kube-system set env deployment/yurt-app-manager CUSTOM_RESOURCE_ENABLE=YurtAppSet,YurtIngress,UnitedDeployment':
    inDocument(),
  'kubectl get mutatingwebhookconfigurations,validatingwebhookconfigurations -o name | grep -i -e yurt -e nodepool':
    inDocument(),
  'kubectl replace -f deploy/crds/apps.openyurt.io_nodepools.yaml': inDocument(),
  'kubectl apply --server-side --force-conflicts -f deploy/crds -f deploy/policies.yaml -f deploy/rbac.yaml -f deploy/webhooks.yaml':
    inDocument(),
  'kubectl get yad -A -o wide': inDocument(),
  'kubectl get events -A | grep Kept': inDocument('kubectl get events -A'),
  'kubectl get deployments -A -l apps.openyurt.io/pool-name -o custom-columns=NAME:.metadata.name,OWNERS:.metadata.managedFields[*].manager':
    inDocument(),
  "kubectl get daemonsets -A -o custom-columns='NAMESPACE:.metadata.namespace,NAME:.metadata.name,TYPE:.spec.updateStrategy.type,UPDATE:.metadata.annotations.apps\\.openyurt\\.io/update-strategy,UPGRADE:.metadata.annotations.apps\\.openyurt\\.io/upgrade-strategy,DESIRED:.status.desiredNumberScheduled,UPDATED:.status.updatedNumberScheduled'":
    inDocument(),
  'kubectl -n NAMESPACE annotate daemonset NAME atoll.dev/rollout-paused=true': mention,
  'kubectl apply --dry-run=server -f FILE': mention,
  'kubectl apply edit-last-applied ud/<name>': mention,
  "kubectl get pods -A --sort-by=.metadata.uid -o custom-columns='UID:.metadata.uid,NAMESPACE:.metadata.namespace,NAME:.metadata.name,RESTARTS:.status.containerStatuses[*].restartCount' > before.txt":
    inDocument(podsThere),
  "kubectl get pods -A --sort-by=.metadata.uid -o custom-columns='UID:.metadata.uid,NAMESPACE:.metadata.namespace,NAME:.metadata.name,RESTARTS:.status.containerStatuses[*].restartCount' > after.txt":
    inDocument(podsThere),
  'kubectl delete yad web --cascade=orphan': {
    testedBy: 'packages/operator/integration/pools/odd-workloads.spec.ts',
  },
  'kubectl annotate yad NAME atoll.dev/apply-template=true': inDocument(
    'kubectl annotate yad web atoll.dev/apply-template=true',
  ),
  'kubectl annotate yad NAME atoll.dev/discard-overrides=true': inDocument(
    'kubectl annotate yad web atoll.dev/discard-overrides=true',
  ),
  'kubectl get nodepools,yurtappdaemons,uniteddaemonsets,uniteddeployments.apps.kruise.io,daemonsets -A -o go-template-file=deploy/optional/conditions-of-atoll.gotmpl | sh -e':
    goingBack,
  'kubectl get nodepools -o name | cut -d / -f 2 | while read -r pool; do\nkubectl label nodes -l "apps.openyurt.io/nodepool=$pool" "apps.openyurt.io/desired-nodepool=$pool" --overwrite\ndone':
    inDocument(),
  "kubectl label nodes -l 'apps.openyurt.io/desired-nodepool,!apps.openyurt.io/nodepool' apps.openyurt.io/desired-nodepool-":
    inDocument(),

  'kubectl apply -f deploy/optional/kruise-kept-off.yaml': inDocument(),
  'kubectl delete -f deploy/optional/kruise-kept-off.yaml': inDocument(),
  'kubectl delete validatingwebhookconfiguration kruise-validating-webhook-configuration': inDocument(),
  'kubectl delete mutatingwebhookconfiguration kruise-mutating-webhook-configuration': inDocument(),
  'kubectl -n kruise-system scale deployment kruise-controller-manager --replicas=0': inDocument(),
  'kubectl get extendeddaemonsetsettings -A -o custom-columns=NAMESPACE:.metadata.namespace,NAME:.metadata.name,OF:.spec.reference.name,STATUS:.status.status,ERROR:.status.error':
    inDocument(),
  'kubectl get extendeddaemonsets,extendeddaemonsetsettings -A -o go-template-file=deploy/optional/conditions-of-atoll.gotmpl | sh -e':
    { testedBy: 'scripts/integration/conditions-template.spec.ts' },
  'kubectl get uniteddeployments.apps.kruise.io -A -o go-template-file=deploy/optional/conditions-of-atoll.gotmpl | sh -e':
    goingBack,

  'kubectl apply -f examples/nodepools.yaml -f examples/daemon-set-ota.yaml': inDocument(),
  'kubectl set image daemonset/gateway gateway=nginx:1.28': inDocument(),
  'kubectl get pods -l app=gateway -o wide': inDocument(),
  'kubectl apply -f examples/extended-daemon-set-canary.yaml': inDocument(),
  'kubectl edit eds collector': inDocument('KUBE_EDITOR=true kubectl edit eds collector'),
  'kubectl eds canary pause collector': { testedBy: 'packages/cli/integration/kubectl-eds.spec.ts' },
  'kubectl edit eds agent': inDocument('KUBE_EDITOR=true kubectl edit eds agent'),
  'kubectl apply -f examples/nodepools.yaml -f examples/united-daemon-set.yaml': inDocument(),
  'kubectl get udd -n kube-system -o wide': inDocument(),
  'kubectl apply -f examples/united-deployment-adaptive.yaml': inDocument(),
  "kubectl get ud adaptive -o jsonpath='{.status.subsetStatuses}'": inDocument(),
  'kubectl apply -f examples/united-deployment-elastic.yaml': inDocument(),
  'kubectl apply -f examples/united-deployment-even.yaml': inDocument(),
  'kubectl scale ud even --replicas=7': inDocument(),
  'kubectl autoscale ud even --min=3 --max=12 --cpu=80%': inDocument(undefined, 34),
  'kubectl apply -f examples/united-deployment-fixed.yaml': inDocument(),
  'kubectl scale ud fixed --replicas=9': inDocument(),
  "kubectl get ud fixed -o jsonpath='{.status.subsetReplicas}'": inDocument(),
  'kubectl apply -f examples/united-deployment-kruise.yaml': inDocument(),
  'kubectl apply -f examples/united-deployment-partitions.yaml': inDocument(),
  'kubectl patch ud careful --type=merge -p \'{"spec":{"updateStrategy":{"manualUpdate":{"partitions":{"zone-a":0}}}}}\'':
    inDocument(),
  'kubectl apply -f examples/united-deployment-reserving.yaml': inDocument(),
  'kubectl get pods -l app=reserving -L apps.kruise.io/united-deployment-reserved-pod': inDocument(),
  'kubectl apply -f examples/united-deployment-zones.yaml': inDocument(),
  'kubectl scale ud zones --replicas=8': inDocument(),
  'kubectl label node <node> node=zone-a': inDocument('kubectl label node node-1 node=zone-a --overwrite'),
  'kubectl apply -f examples/united-deployment.yaml': inDocument(),
  'kubectl get ud sample-ud': inDocument(),
  'kubectl apply -f examples/nodepools.yaml -f examples/yurt-app-daemon.yaml': inDocument(),
  'kubectl get yad -o wide': inDocument(),
  'kubectl label nodepool beijing yurtappdaemon.openyurt.io/type-': inDocument(),
};

/** First lines of blocks of code that are nothing to type. */
export const notCommands: readonly RegExp[] = [
  /^watch events ─►/, // a diagram
  /^pool-config writes configmaps and reads no cache/, // a message
  /^(Usage: atoll-operator|Runs the controllers|Options:|Exit codes:)/, // its help
  /^4\. 10 to 4 or 1 or 3 replicas/, // output of a test
  /^-yurt-app-daemon-controller,/, // a value of a flag of another operator
  /^Ready +False /, // conditions
  /^(GET|POST) /, // HTTP
  /^\{"state":/, // JSON
  /^[A-Z]\w+:( |$)/, // messages of conditions and events
];
