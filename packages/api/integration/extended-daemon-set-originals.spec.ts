// What the old operator's project published: its manifests are accepted, and the names are its own to the letter.
import {
  namespaces,
  type CustomResourceDefinition,
  type KubeObject,
  type Resource,
  type StreamingClient,
} from '@atoll/kube';
import { originalFiles, originals } from '@atoll/testbed';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import * as names from '../src/extended-daemon-set/names.ts';
import { install } from '../src/install/index.ts';
import { customResourceDefinition } from '../src/schema/custom-resource-definition.ts';
import { extendedDaemonSetKinds } from '../src/schema/index.ts';
import { connect } from './connect.ts';
import { settingOfManual } from './extended-samples.ts';

let client: StreamingClient;
const namespace = 'api-extended-originals';
const project = originals.extendedDaemonSet;

beforeAll(async () => {
  client = await connect(inject('kubeconfig'));
  await install(client, { installation: { kinds: extendedDaemonSetKinds } });
  await client.apply(
    namespaces,
    { metadata: { name: namespace } },
    { fieldManager: 'api-specs', force: true },
  );
});

/** By server-side apply, which refuses a field that the schema does not have. */
async function accepted(object: KubeObject): Promise<KubeObject> {
  const kind = extendedDaemonSetKinds.find(({ resource }) => resource.kind === object.kind);
  if (kind === undefined) throw new Error(`${object.kind} is none of these kinds`);
  const written = { ...object, metadata: { ...object.metadata, namespace } };
  return client.apply(kind.resource as Resource<KubeObject>, written, {
    fieldManager: 'api-specs',
    force: true,
    dryRun: true,
  });
}

describe('the manifests of the old project', () => {
  it.each(['examples', 'config/samples'])('in %s are accepted as they are', async (folder) => {
    const files = await originalFiles(project, folder, '.yaml');
    const objects = [...files.values()]
      .flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as KubeObject | null))
      .filter((object) => object?.apiVersion === 'datadoghq.com/v1alpha1');
    expect(objects.length).toBeGreaterThan(2);
    for (const object of objects) {
      // A sample of what the operator writes, with nothing in it.
      if (object === null || !('spec' in object)) continue;
      expect(await accepted(object)).toMatchObject({ spec: object.spec });
    }
  });
});

const head = 'apiVersion: datadoghq.com/v1alpha1\nkind: ExtendedDaemonSet\nmetadata: {name: foo}';
const pod = 'containers: [{name: daemon, image: "registry.k8s.io/pause:3.0"}]';

/** The manual's own, made whole where it shows a part. */
const manual: readonly (readonly [string, string])[] = [
  ['a setting', settingOfManual],
  [
    'the exclusion of nodes',
    `
${head}
spec:
  strategy: {}
  template:
    spec:
      ${pod}
      affinity:
        nodeAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            nodeSelectorTerms:
            - matchExpressions:
              - key: extendeddaemonset.datadoghq.com/exclude
                operator: NotIn
                values:
                - foo
`,
  ],
  [
    'a canary',
    `
${head}
spec:
  template:
    spec: {${pod}}
  strategy:
    canary:
      replicas: 1
      duration: 5m
      autoPause:
        enabled: true
        maxRestarts: 5
`,
  ],
  [
    'a migration',
    `
apiVersion: datadoghq.com/v1alpha1
kind: ExtendedDaemonSet
metadata:
  name: foo
  annotations:
    extendeddaemonset.datadoghq.com/old-daemonset: foo
spec:
  template:
    spec: {${pod}}
  strategy: {}
`,
  ],
];

describe('the manual of the old project', () => {
  it.each(manual)('shows %s that is accepted as it is', async (_, text) => {
    const object = parse(text) as KubeObject & { readonly spec: object };
    const { metadata, spec } = (await accepted(object)) as typeof object;
    expect(spec).toEqual(object.spec);
    expect(metadata.annotations).toEqual(object.metadata.annotations);
  });
});

/** Ours, later than the release, or put together from parts in its source. */
const notInItsSource: readonly string[] = [
  ...Object.values(names.canaryFailurePolicies),
  ...Object.values(names.canaryPromotionPolicies),
  names.extendedDaemonSetAnnotations.onCanaryFailure,
  names.extendedDaemonSetAnnotations.canaryPromotion,
  names.extendedDaemonSetAnnotations.overridesHash,
  names.extendedDaemonSetAnnotations.failedPods,
  names.extendedDaemonSetLabels.settingName,
  names.extendedDaemonSetLabels.settingNamespace,
  names.nodeResourcesPrefix,
  names.extendedDaemonSetConditions.activeReplicaSetUnknown,
  names.replicaSetConditions.canaryDuration,
  names.replicaSetConditions.settingsGone,
  names.settingConditions.notAppliedBefore,
  names.oldExtendedDaemonSetManager,
  names.commandLineFieldManager,
];

interface Shown {
  readonly name: string;
  readonly jsonPath: string;
  readonly type: string;
}

describe('the definitions', () => {
  it.each(extendedDaemonSetKinds.map((kind) => [kind.resource.kind, kind] as const))(
    'of %s have the names, the short names and the columns of the old ones, in their order',
    async (_, kind) => {
      const { plural } = kind.resource;
      const files = await originalFiles(project, 'config/crd/bases/v1', `_${plural}.yaml`);
      const [text = ''] = files.values();
      const theirs = parse(text) as CustomResourceDefinition;
      const ours = customResourceDefinition(kind);
      expect(ours.metadata.name).toBe(theirs.metadata.name);
      expect(ours.spec.names).toMatchObject(theirs.spec.names);
      const columns = ({ spec: { versions } }: CustomResourceDefinition): readonly Shown[] =>
        (versions[0]?.additionalPrinterColumns ?? []).map(({ name, type, jsonPath }) => ({
          name,
          type,
          // Wrong in the old definition, so that its column is always empty (BUG-21).
          jsonPath: jsonPath.replace('ignoredunresponsivenodes', 'ignoredUnresponsiveNodes'),
        }));
      const old = columns(theirs);
      expect(old.length).toBeGreaterThan(3);
      expect(columns(ours).slice(0, old.length)).toEqual(old);
      // What follows is shown with -o wide alone.
      const more = ours.spec.versions[0]?.additionalPrinterColumns?.slice(old.length) ?? [];
      expect(more.filter(({ priority = 0 }) => priority === 0)).toEqual([]);
    },
  );
});

describe('the names', () => {
  it('are those in the source of the old operator, to the letter', async () => {
    const source = [...(await originalFiles(project, '.', '.go')).values()].join('\n');
    const all = textsOf(names);
    expect(all.length).toBeGreaterThan(70);
    const missing = all.filter((name) => !source.includes(`"${name}"`) && !notInItsSource.includes(name));
    expect(missing).toEqual([]);
  });

  it('of resource annotations are put together as there', async () => {
    const source = [...(await originalFiles(project, 'api', '.go')).values()].join('\n');
    const [, format = ''] = /ExtendedDaemonSetRessourceNodeAnnotationKey = "([^"]+)"/.exec(source) ?? [];
    const parts = ['bar', 'foo', 'myapp'];
    const expected = parts.reduce((text, part) => text.replace('%s', part), format);
    expect(names.nodeResourcesAnnotation('bar', 'foo', 'myapp')).toBe(expected);
  });
});

function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}
