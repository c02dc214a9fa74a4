{{- define "atoll.labels" -}}
app.kubernetes.io/name: atoll
app.kubernetes.io/component: {{ . }}
app.kubernetes.io/managed-by: atoll
{{- end }}

{{- define "atoll.selector" -}}
app.kubernetes.io/name: atoll
app.kubernetes.io/component: {{ . }}
{{- end }}
