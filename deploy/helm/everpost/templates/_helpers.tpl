{{- define "everpost.labels" -}}
app.kubernetes.io/name: everpost
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{- define "everpost.image" -}}
image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end -}}

{{- /* The same for every pod: written into the pods themselves, so that a change restarts them and a rollback takes it back. */ -}}
{{- define "everpost.env" -}}
- { name: HOST, value: "0.0.0.0" }
- { name: PORT, value: "3000" }
- { name: DATA_DIR, value: /data }
- { name: WORKER_PORT, value: "3000" }
- { name: INBOUND_SMTP_HOST, value: "0.0.0.0" }
- { name: INBOUND_SMTP_PORT, value: "2525" }
- { name: SUBMISSION_HOST, value: "0.0.0.0" }
- { name: SUBMISSION_PORT, value: "2587" }
- { name: SUBMISSION_TLS_PORT, value: "2465" }
{{- range $name, $value := .Values.config }}
- { name: {{ $name }}, value: {{ $value | toString | quote }} }
{{- end }}
{{- range $key := .Values.secret.keys }}
- name: {{ $key }}
  valueFrom:
    secretKeyRef: { name: {{ $.Values.secret.name }}, key: {{ $key }} }
{{- end }}
{{- end -}}

{{- define "everpost.container" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end -}}

{{- define "everpost.pod" -}}
serviceAccountName: {{ .Values.serviceAccountName }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
