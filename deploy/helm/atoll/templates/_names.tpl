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
Whether the value of --controllers switches a controller on, as packages/operator/src/start-up/select-controllers.ts reads it:
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
