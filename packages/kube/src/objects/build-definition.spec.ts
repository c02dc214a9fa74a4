import { expect, it } from 'vitest';
import { buildDefinition } from './build-definition.ts';

it('serves each version with a status, stores one, and leaves out what is not given', () => {
  const schema = { type: 'object' } as const;
  const resource = {
    group: 'example.dev',
    version: 'v1',
    kind: 'Widget',
    plural: 'widgets',
    namespaced: true,
  };
  expect(
    buildDefinition({
      resource,
      versions: [
        { name: 'v1', storage: true, openAPIV3Schema: schema },
        { name: 'v1beta1', storage: false, openAPIV3Schema: schema, deprecationWarning: 'use v1' },
      ],
    }),
  ).toEqual({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.dev' },
    spec: {
      group: 'example.dev',
      names: { kind: 'Widget', listKind: 'WidgetList', plural: 'widgets', singular: 'widget' },
      scope: 'Namespaced',
      conversion: { strategy: 'None' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schema },
          subresources: { status: {} },
        },
        {
          name: 'v1beta1',
          served: true,
          storage: false,
          deprecated: true,
          deprecationWarning: 'use v1',
          schema: { openAPIV3Schema: schema },
          subresources: { status: {} },
        },
      ],
    },
  });
});
