import {
  clusterEventsRule,
  clusterRoleObjects,
  limitedClusterRules,
  limitedRules,
  namespaceOfClusterEvents,
  roleObjects,
  worksOnCluster,
  type ControllerRules,
  type InstallObject,
} from '@atoll/api/install';
import type { PolicyRule } from '@atoll/kube';
import { kindDefinitions } from '@atoll/operator/install';
import { stringify } from 'yaml';
import { formatObjects } from './manifest.ts';

/** Stand in the objects for what Helm fills in; nothing of ours is called so. */
const placeholders = { own: 'own-namespace-of-the-release', each: 'each-namespace-of-the-values' };

/**
 * What `limitedRbacObjects` says, as a template: for the namespaces of `.Values.namespaces`, and with the rules of a controller where
 * `.Values.controllers` switches it on.
 */
export function limitedAccess(controllers: readonly ControllerRules[]): string {
  const { own, each } = placeholders;
  const ofCluster = withRulesOf(
    clusterRoleObjects(own, limitedClusterRules(own, [each])),
    controllers.map(({ name, inCluster }) => ({ name, rules: inCluster })),
  );
  const inEach = withRulesOf(
    roleObjects(own, each, limitedRules),
    controllers.map(({ name, inNamespaces }) => ({ name, rules: inNamespaces })),
  );
  const events = formatObjects(roleObjects(own, namespaceOfClusterEvents, [clusterEventsRule]));
  const runsOnCluster = controllers.filter(worksOnCluster).map(({ name }) => runs(name));
  const noRoleThereYet = `(not (has "${namespaceOfClusterEvents}" .Values.namespaces))`;
  const text = [
    ofCluster.replace(
      /^ +- each-namespace-of-the-values\n/m,
      '      {{- toYaml .Values.namespaces | nindent 6 }}\n',
    ),
    '{{- range $namespace := .Values.namespaces }}\n',
    inEach.replaceAll(each, "'{{ $namespace }}'"),
    '{{- end }}\n',
    `{{- if and (or ${runsOnCluster.join(' ')} "") ${noRoleThereYet} }}\n${events}{{- end }}\n`,
  ].join('');
  return text
    .replaceAll(`: ${own}`, ": '{{ $.Release.Namespace }}'")
    .replaceAll(new RegExp(`([a-z]+\\.)${own}`, 'g'), "'$1{{ $.Release.Namespace }}'");
}

/** The objects, of which the first is a role, with more rules in it. */
function withRulesOf(
  [role, ...binding]: readonly InstallObject[],
  more: readonly { readonly name: string; readonly rules: readonly PolicyRule[] }[],
): string {
  if (role === undefined) throw new Error('there is no role');
  const conditional = more
    .filter(({ rules }) => rules.length > 0)
    .map(({ name, rules }) => `  {{- if ${runs(name)} }}\n${listOf(rules)}  {{- end }}\n`);
  return formatObjects([role]) + conditional.join('') + formatObjects(binding);
}

function listOf(rules: readonly PolicyRule[]): string {
  const text = stringify({ rules }, { aliasDuplicateObjects: false, lineWidth: 0, singleQuote: true });
  return text.slice(text.indexOf('\n') + 1);
}

/** A call of the template that reads `.Values.controllers` as the operator does. */
function runs(name: string): string {
  const definition = kindDefinitions.find((each) => each.name === name);
  if (definition === undefined) throw new Error(`there is no controller ${name}`);
  const names = [name, ...definition.aliases].map((each) => JSON.stringify(each));
  return `(include "atoll.runs" (list $ ${definition.onByDefault} ${names.join(' ')}))`;
}
