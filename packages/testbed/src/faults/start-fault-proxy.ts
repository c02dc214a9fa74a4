import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:https';
import { createCertificateAuthority, issueCertificate } from '@atoll/kube/certificates';
import { ApiServerLink } from './api-server-link.ts';
import { ClientConnections } from './client-connections.ts';
import { Exchanges } from './exchanges.ts';
import type { FaultProxy, FaultProxyOptions } from './fault-proxy.ts';
import { redirectKubeconfig } from './proxy-kubeconfig.ts';
import { TrafficCounter } from './traffic.ts';

/** Starts a {@link FaultProxy} on a port of 127.0.0.1 that the kernel chooses, with no fault at work. */
export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const { target, directory, signal } = options;
  signal?.throwIfAborted();
  await mkdir(directory, { recursive: true });
  const authority = await createCertificateAuthority('atoll-fault-proxy');
  const serving = await issueCertificate(authority, {
    commonName: 'fault-proxy',
    hosts: ['127.0.0.1', 'localhost'],
    usage: 'server',
  });
  const traffic = new TrafficCounter();
  const link = new ApiServerLink(target);
  const https = createServer({
    key: serving.keyPem,
    cert: serving.certificatePem,
    ALPNProtocols: ['http/1.1'],
    // Watches and held requests may last as long as they like, and so may idle connections.
    requestTimeout: 0,
    headersTimeout: 0,
    keepAliveTimeout: 0,
  });
  const connections = new ClientConnections(https, traffic);
  const exchanges = new Exchanges(link, connections, traffic);
  https.on('request', (incoming, outgoing) => exchanges.serve(incoming, outgoing));
  const url = `https://127.0.0.1:${await connections.listen()}`;

  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    closing ??= (async () => {
      exchanges.close();
      await connections.close();
      link.close();
    })();
    await closing;
  };
  signal?.addEventListener('abort', () => void close(), { once: true });

  return {
    url,
    caData: authority.certificatePem,
    kubeconfigFrom: (kubeconfigPath) =>
      redirectKubeconfig({ kubeconfigPath, directory, url, caPem: authority.certificatePem }),
    inject: (match, fault) => exchanges.inject(match, fault),
    keepRequests: (match) => exchanges.keepRequests(match),
    holdWatches: (match) => exchanges.holdWatches(match),
    endWatches: (match, ending) => exchanges.endWatches(match, ending),
    staleStart: (match, resourceVersion) => exchanges.staleStart(match, resourceVersion),
    cut: () => connections.cut(),
    freeze: () => connections.freeze(),
    heal: () => connections.heal(),
    traffic: () => traffic.read(),
    resetTraffic: () => traffic.reset(),
    close,
    [Symbol.asyncDispose]: close,
  };
}
