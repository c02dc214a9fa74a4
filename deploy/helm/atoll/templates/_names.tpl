{{- define "atoll.labels" -}}
app.kubernetes.io/name: atoll
app.kubernetes.io/component: {{ . }}
app.kubernetes.io/managed-by: atoll
{{- end }}

{{- define "atoll.selector" -}}
app.kubernetes.io/name: atoll
app.kubernetes.io/component: {{ . }}
{{- end }}

{{- /*
Whether the value of --controllers switches a controller on, as packages/operator/src/start-up/options/select-controllers.ts reads it:
(list $ <on by default> <name> <alias>…).
*/ -}}
{{- define "atoll.runs" -}}
{{- $words := splitList "," (index . 0).Values.controllers -}}
{{- $byDefault := index . 1 -}}
{{- $names := slice . 2 -}}
{{- $star := true -}}
{{- $decision := "" -}}
{{- range $words -}}
{{- if not (hasPrefix "-" .) -}}{{- $star = false -}}{{- end -}}
{{- if and (not $decision) (has (trimPrefix "-" .) $names) -}}
{{- $decision = ternary "off" "on" (hasPrefix "-" .) -}}
{{- end -}}
{{- end -}}
{{- $star = or $star (has "*" $words) -}}
{{- if or (eq $decision "on") (and (not $decision) $star $byDefault) -}}true{{- end -}}
{{- end }}

{{- /* Refuses a value of --controllers with which the operator would not start, with its own words. */ -}}
{{- define "atoll.refuseControllers" -}}
{{- $value := .Values.controllers -}}
{{- $names := list -}}
{{- $known := list "*" -}}
{{- $runs := "" -}}
{{- range include "atoll.controllers" . | fromYamlArray -}}
{{- $names = append $names .name -}}
{{- $known = concat $known (list .name) .aliases -}}
{{- $runs = print $runs (include "atoll.runs" (concat (list $ .onByDefault .name) .aliases)) -}}
{{- end -}}
{{- $why := ternary "" "it switches every controller off" (ne $runs "") -}}
{{- range splitList "," $value | reverse -}}
{{- $name := trimPrefix "-" . -}}
{{- if not (has $name $known) -}}{{- $why = printf "%q is not a controller" $name -}}{{- end -}}
{{- end -}}
{{- if $why -}}
{{- fail (printf "controllers: %q: %s; allowed are *, the names %s, and each name with a leading \"-\"" $value $why (join ", " $names)) -}}
{{- end -}}
{{- end }}

{{- /*
Whether metrics are served over HTTPS. Values of a release from before there was a choice (`helm upgrade --reuse-values`) lack it.
*/ -}}
{{- define "atoll.metricsTls" -}}
{{- $tls := .Values.metrics.tls | default dict -}}
{{- $own := or $tls.secret (dig "certManager" "enabled" false $tls) -}}
{{- if dig "enabled" true $tls -}}
{{- if and $tls.secret (dig "certManager" "enabled" false $tls) -}}
{{- fail "metrics.tls.secret and metrics.tls.certManager.enabled=true are two sources of one certificate: leave one out" -}}
{{- end -}}
true
{{- else if $own -}}
{{- fail "metrics.tls.enabled=false serves metrics in plain text: leave out metrics.tls.secret and metrics.tls.certManager.enabled" -}}
{{- end -}}
{{- end }}

{{- /* The Secret with the certificate of the metrics that somebody else makes; empty: the operator makes its own. */ -}}
{{- define "atoll.metricsSecret" -}}
{{- if include "atoll.metricsTls" . -}}
{{- $tls := .Values.metrics.tls | default dict -}}
{{- if dig "certManager" "enabled" false $tls -}}atoll-metrics-cert-manager{{- else -}}{{ $tls.secret | default "" }}{{- end -}}
{{- end -}}
{{- end }}

{{- /* What an endpoint of the ServiceMonitor says about TLS and the token. */ -}}
{{- define "atoll.scrapedWith" -}}
{{- if include "atoll.metricsTls" . }}
scheme: https
tlsConfig:
  {{- with .Values.metrics.serviceMonitor.tlsConfig }}
  {{- toYaml . | nindent 2 }}
  {{- else }}
  ca:
    secret:
      name: {{ include "atoll.metricsSecret" . | default "atoll-webhook" | quote }}
      key: ca.crt
  serverName: atoll-metrics.{{ .Release.Namespace }}.svc
  {{- end }}
{{- end }}
{{- if .Values.metrics.requireToken }}
authorization:
  credentials:
    name: {{ .Values.metrics.serviceMonitor.tokenSecret | default "atoll-metrics-reader" | quote }}
    key: token
{{- end }}
{{- end }}

{{- /* The value that the last of several flags of one name has among arguments, and otherwise the default: (list <arguments> <flag> <default>). */ -}}
{{- define "atoll.flag" -}}
{{- $flag := index . 1 -}}
{{- $value := index . 2 -}}
{{- $before := "" -}}
{{- range index . 0 -}}
{{- if eq $before $flag -}}{{- $value = . -}}{{- end -}}
{{- if hasPrefix (printf "%s=" $flag) . -}}{{- $value = trimPrefix (printf "%s=" $flag) . -}}{{- end -}}
{{- $before = . -}}
{{- end -}}
{{- $value -}}
{{- end }}

{{- /* Whether replicas lead only with the Lease. */ -}}
{{- define "atoll.elects" -}}
{{- if ne (include "atoll.flag" (list .Values.extraArgs "--leader-elect" "true")) "false" -}}true{{- end -}}
{{- end }}

{{- /*
Refuses extraArgs that stand for values by which rights are given, with which several replicas would lead, and addresses that probes and Services do not
lead to: their ports are fixed.
*/ -}}
{{- define "atoll.refuseArguments" -}}
{{- $args := .Values.extraArgs -}}
{{- range $args -}}
{{- $flag := regexFind "^--(controllers|namespaces)(=|$)" . | trimSuffix "=" -}}
{{- if $flag -}}
{{- fail (printf "extraArgs: %s is set by the value %s: write it there" $flag (trimPrefix "--" $flag)) -}}
{{- end -}}
{{- end -}}
{{- if and (not (include "atoll.elects" .)) (gt (int .Values.replicas) 1) -}}
{{- fail (printf "extraArgs: --leader-elect is false, and %d replicas would write over each other: leave it out, or set replicas to 1" (int .Values.replicas)) -}}
{{- end -}}
{{- $all := "^(|0\\.0\\.0\\.0|\\[::\\]):%d$" -}}
{{- $health := include "atoll.flag" (list $args "--bind-address" ":8080") -}}
{{- if not (regexMatch (printf $all 8080) $health) -}}
{{- fail (printf "extraArgs: --bind-address is %s, but probes ask port 8080 of the pod: leave it out" $health) -}}
{{- end -}}
{{- if include "atoll.metricsTls" . -}}
{{- $metrics := include "atoll.flag" (list $args "--metrics-bind-address" ":8443") -}}
{{- if not (regexMatch (printf $all 8443) $metrics) -}}
{{- fail (printf "extraArgs: --metrics-bind-address is %s, but the Service atoll-metrics leads to port 8443: leave it out, or set metrics.tls.enabled=false for metrics in plain text" $metrics) -}}
{{- end -}}
{{- else -}}
{{- $metrics := include "atoll.flag" (list $args "--metrics-bind-address" "0") -}}
{{- if ne $metrics "0" -}}
{{- fail (printf "extraArgs: --metrics-bind-address is %s, but metrics.tls.enabled=false serves metrics in plain text: leave one out" $metrics) -}}
{{- end -}}
{{- end -}}
{{- if .Values.webhook.enabled -}}
{{- $webhooks := include "atoll.flag" (list $args "--webhook-bind-address" ":9443") -}}
{{- if not (or (eq $webhooks "0") (regexMatch (printf $all 9443) $webhooks)) -}}
{{- fail (printf "extraArgs: --webhook-bind-address is %s, but the Service atoll-webhook leads to port 9443: leave it out" $webhooks) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- /* Refuses paths of the agent that are not on the node: its own root is read-only. */ -}}
{{- define "atoll.refuseAgentArguments" -}}
{{- range tuple "--cache-dir" "--unix-socket" -}}
{{- $path := include "atoll.flag" (list $.Values.agent.extraArgs . "/var/lib/atoll-agent") -}}
{{- if not (hasPrefix "/var/lib/atoll-agent/" (printf "%s/" (clean $path))) -}}
{{- fail (printf "agent.extraArgs: %s is %s, but the agent can write only in /var/lib/atoll-agent: choose a path in it" . $path) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- /* Whether one of the variables has this name: (list <variables> <name>). */ -}}
{{- define "atoll.hasVariable" -}}
{{- $name := index . 1 -}}
{{- range index . 0 -}}{{- if eq .name $name -}}true{{- end -}}{{- end -}}
{{- end }}

{{- /* Refuses a variable that has the name of another one: (list <variables> <value> <name that the chart sets>…). */ -}}
{{- define "atoll.refuseVariables" -}}
{{- $value := index . 1 -}}
{{- $taken := slice . 2 -}}
{{- $given := list -}}
{{- range index . 0 -}}
{{- if has .name $taken -}}{{- fail (printf "%s: %s is set by the chart: leave it out" $value .name) -}}{{- end -}}
{{- if has .name $given -}}{{- fail (printf "%s: %s is given twice" $value .name) -}}{{- end -}}
{{- $given = append $given .name -}}
{{- end -}}
{{- end }}

{{- /*
Where a kubelet finds the agent: host, port and scheme of an httpGet, as the last --bind-address of agent.extraArgs says. Empty: it serves on no address,
and what it serves on a unix socket cannot be probed.
*/ -}}
{{- define "atoll.agentProbe" -}}
{{- $address := include "atoll.flag" (list .Values.agent.extraArgs "--bind-address" "127.0.0.1:10267") -}}
{{- $tls := false -}}
{{- range .Values.agent.extraArgs -}}
{{- if hasPrefix "--tls-cert-file" . -}}{{- $tls = true -}}{{- end -}}
{{- end -}}
{{- if ne $address "0" -}}
{{- if not (regexMatch "^([^:\\[\\]]*|\\[[0-9a-fA-F:.]+\\]):[1-9][0-9]{0,4}$" $address) -}}
{{- fail (printf "agent.extraArgs: --bind-address is %s: use host:port, [IPv6]:port or :port, which is also where the agent is probed, or 0 for none" $address) -}}
{{- end -}}
{{- $port := regexFind "[0-9]+$" $address -}}
{{- $host := trimSuffix (printf ":%s" $port) $address | trimPrefix "[" | trimSuffix "]" -}}
{{- $all := dict "" "127.0.0.1" "0.0.0.0" "127.0.0.1" "::" "::1" -}}
host: {{ get $all $host | default $host | quote }}
port: {{ $port }}
{{- if $tls }}
scheme: HTTPS
{{- end }}
{{- end -}}
{{- end }}

{{- /* The ServiceAccount of the operator, which all its rights are bound to. Values of an earlier release (`helm upgrade --reuse-values`) lack its name. */ -}}
{{- define "atoll.account" -}}
{{- (.Values.serviceAccount | default dict).name | default "atoll" -}}
{{- end }}

{{- /* Whether the chart makes this account; refuses values with which the operator would run without one, or with another one than was meant. */ -}}
{{- define "atoll.makesAccount" -}}
{{- $account := .Values.serviceAccount | default dict -}}
{{- if has $account.name (list "atoll-agent" "atoll-metrics-reader") -}}
{{- fail (printf "serviceAccount.name is %s, an account of the chart with rights of its own: take another name" $account.name) -}}
{{- end -}}
{{- if ne (dig "create" true $account) false -}}
true
{{- else if not $account.name -}}
{{- fail "serviceAccount.create is false, and no account is named: set serviceAccount.name to the one that the operator is to run with" -}}
{{- else if $account.annotations -}}
{{- fail "serviceAccount.create is false, so serviceAccount.annotations would be written nowhere: annotate the account yourself, and leave them out" -}}
{{- end -}}
{{- end }}
