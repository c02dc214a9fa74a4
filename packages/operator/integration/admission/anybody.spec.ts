// What somebody gets from the webhooks who reaches their port and has no credentials: docs/operating/security.md.
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { operatorNames, unitedDeployments, webhookPath, type UnitedDeployment } from '@atoll/api';
import {
  controllerRevisions,
  deployments,
  validatingWebhookConfigurations,
  type KubeObject,
  type Resource,
  type StreamingClient,
} from '@atoll/kube';
import type { RunningOperator } from '@atoll/testbed';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutElection, type OperatorControlPlane } from '../set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../set-up/shared-operator-control-plane.ts';
import { eventually } from '../set-up/standing.ts';

const namespace = 'default';
const app = { app: 'web' };

let world: OperatorControlPlane;
let client: StreamingClient;
let operator: RunningOperator;
/** Of the webhook that judges UnitedDeployments, and whom to trust there. */
let url: URL;
let ca: string;

beforeAll(async () => {
  world = await sharedOperatorControlPlane({});
  ({ client } = world);
  const served = ['--webhook-bind-address=127.0.0.1:0', '--webhook-url=https://127.0.0.1:0'];
  operator = await world.start({ args: [...withoutElection, ...served] });
  const path = webhookPath('validate', unitedDeployments as Resource<KubeObject>);
  const { clientConfig } = await eventually(async () => {
    const { webhooks = [] } = await client.get(validatingWebhookConfigurations, {
      name: operatorNames.webhookConfiguration,
    });
    const found = webhooks.find((webhook) => webhook.clientConfig.url?.endsWith(path));
    if (found?.clientConfig.caBundle === undefined) throw new Error(`no webhook at ${path} is registered`);
    return found;
  });
  url = new URL(clientConfig.url ?? '');
  ca = Buffer.from(clientConfig.caBundle ?? '', 'base64').toString();
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

interface Answer {
  readonly allowed: boolean;
  readonly status?: { readonly message?: string };
}

function united(image: string): UnitedDeployment {
  const podSpec = { containers: [{ name: 'web', image }] };
  return {
    metadata: { namespace, name: 'question' },
    spec: {
      replicas: 1,
      selector: { matchLabels: app },
      template: {
        deploymentTemplate: {
          metadata: { labels: app },
          spec: { selector: { matchLabels: app }, template: { metadata: { labels: app }, spec: podSpec } },
        },
      },
      topology: { subsets: [{ name: 'a' }] },
    },
  };
}

/** A question about a UnitedDeployment that nobody writes, as the API server would ask it. */
async function question(
  image: string,
): Promise<{ readonly object: KubeObject; readonly review: (object: KubeObject) => string }> {
  const { group, version, kind, plural: resource } = unitedDeployments;
  // With the defaults and the metadata that the API server fills in before it asks; the image is left to the answer.
  const named = await client.create(unitedDeployments, united('nginx:1.27'), { dryRun: true });
  const object = {
    ...named,
    apiVersion: `${group}/${version}`,
    kind,
    spec: { ...named.spec, template: united(image).spec.template },
  };
  const review = (asked: KubeObject): object => ({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: '1',
      kind: { group, version, kind },
      resource: { group, version, resource },
      operation: 'CREATE',
      namespace,
      name: 'question',
      userInfo: { username: 'anybody' },
      object: asked,
    },
  });
  return { object, review: (asked) => JSON.stringify(review(asked)) };
}

/** Asks without a token and without a certificate. */
async function ask(image: string): Promise<Answer> {
  const { object, review } = await question(image);
  const { code, text } = await posted(review(object));
  if (code !== 200) throw new Error(`${code}: ${text}\n${logOfOperator().slice(-3000)}`);
  return (JSON.parse(text) as { readonly response: Answer }).response;
}

const logOfOperator = (): string => readFileSync(operator.logFile, 'utf8');

async function posted(body: string): Promise<{ readonly code: number | undefined; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const sent = request(url, { method: 'POST', ca, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        resolve({ code: response.statusCode, text: Buffer.concat(parts).toString() });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

describe('somebody without credentials who reaches the port of the webhooks', () => {
  it('is answered, with what the API server says to a dry run of a child, and stores nothing', async () => {
    expect(await ask('nginx:1.27')).toMatchObject({ allowed: true });
    const refused = await ask('');
    expect(refused.allowed).toBe(false);
    expect(refused.status?.message).toMatch(/containers\[0\]\.image.*Required value/);
    for (const resource of [
      unitedDeployments,
      deployments,
      controllerRevisions,
    ] as readonly Resource<KubeObject>[])
      expect((await client.list(resource, { namespace })).items).toEqual([]);
  });

  it('gets an answer that names what is missing where the object is not as the API server sends it, and the log has no error', async () => {
    const { object, review } = await question('nginx:1.27');
    const { uid: _, ...metadata } = { uid: '', ...object.metadata };
    expect(await posted(review({ ...object, metadata }))).toEqual({
      code: 400,
      text: 'the object has no metadata.uid, which the API server sends with every object that is validated\n',
    });
    expect(logOfOperator()).not.toContain('admission handler failed');
  });
});
