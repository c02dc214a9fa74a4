export const images = { first: 'nginx:1.27', second: 'nginx:1.28' } as const;

/** As people write them: resources, a port, a probe. */
export const podSpec = {
  containers: [
    {
      name: 'nginx',
      image: images.first as string,
      ports: [{ containerPort: 80, name: 'http' }],
      env: [{ name: 'SIZE', value: 'small' }],
      resources: { requests: { cpu: '50m', memory: '32Mi' }, limits: { memory: '64Mi' } },
      readinessProbe: { httpGet: { path: '/', port: 80 }, periodSeconds: 5 },
    },
  ],
};
