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

{{- /*
Where a kubelet finds the agent: host, port and scheme of an httpGet, as the last --bind-address of agent.extraArgs says. Empty: it serves on no address,
and what it serves on a unix socket cannot be probed.
*/ -}}
{{- define "atoll.agentProbe" -}}
{{- $address := "127.0.0.1:10267" -}}
{{- $tls := false -}}
{{- $before := "" -}}
{{- range .Values.agent.extraArgs -}}
{{- if eq $before "--bind-address" -}}{{- $address = . -}}{{- end -}}
{{- if hasPrefix "--bind-address=" . -}}{{- $address = trimPrefix "--bind-address=" . -}}{{- end -}}
{{- if hasPrefix "--tls-cert-file" . -}}{{- $tls = true -}}{{- end -}}
{{- $before = . -}}
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
