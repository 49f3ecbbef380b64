{{/* Labels that all objects have. */}}

{{- define "berth.labels" -}}
app.kubernetes.io/name: berth
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{/* Labels that select the pods of a role: (dict "root" $ "role" NAME). */}}
{{- define "berth.selector" -}}
app.kubernetes.io/name: berth
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .role }}
{{- end }}

{{- define "berth.image" -}}
{{ required "image.repository has to name the image of Berth" .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* A setting as the value of its environment variable: a list of objects as JSON, another list separated by commas. */}}
{{- define "berth.setting" -}}
{{- if kindIs "string" . -}}
{{- . -}}
{{- else if not (kindIs "slice" .) -}}
{{- toJson . -}}
{{- else if kindIs "map" (first .) -}}
{{- toJson . -}}
{{- else -}}
{{- range $at, $item := . -}}
{{- if $at -}},{{- end -}}
{{- include "berth.setting" $item -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/* Environment variables of every container. The files that they name are mounted by "berth.volumes". */}}
{{- define "berth.env" -}}
- name: BERTH_DATA_DIR
  value: /var/lib/berth/data
- name: BERTH_DATABASE_URL_FILE
  value: /etc/berth/database/url
{{- if .Values.database.directKey }}
- name: BERTH_DATABASE_DIRECT_URL_FILE
  value: /etc/berth/database/direct-url
{{- end }}
- name: BERTH_MIGRATE
  value: "off"
- name: BERTH_SECRET_KEY_FILE
  value: /etc/berth/secret-key/secret.key
- name: BERTH_BLOBS
  value: {{ required "contents.place has to name a bucket, such as s3://bucket/prefix" .Values.contents.place | quote }}
{{- if .Values.oidc.existingSecret }}
- name: BERTH_OIDC_CLIENT_SECRET_FILE
  value: /etc/berth/oidc/client-secret
{{- end }}
{{- if .Values.ingress.enabled }}
- name: BERTH_PUBLIC_URL
  value: {{ if .Values.ingress.tlsSecret }}https{{ else }}http{{ end }}://{{ required "ingress.host has to be the name of the service" .Values.ingress.host }}
{{- end }}
- name: BERTH_SANDBOX
  value: kubernetes
- name: BERTH_KUBERNETES_NAMESPACE
  value: {{ .Values.sandboxes.namespace }}
- name: BERTH_KUBERNETES_IMAGE
  value: {{ .Values.sandboxes.image | quote }}
{{- if .Values.sandboxes.storageClass }}
- name: BERTH_KUBERNETES_STORAGE_CLASS
  value: {{ .Values.sandboxes.storageClass | quote }}
{{- end }}
{{- if .Values.sandboxes.snapshotClass }}
- name: BERTH_KUBERNETES_SNAPSHOT_CLASS
  value: {{ .Values.sandboxes.snapshotClass | quote }}
{{- end }}
{{- if .Values.sandboxes.runtimeClass }}
- name: BERTH_KUBERNETES_RUNTIME_CLASS
  value: {{ .Values.sandboxes.runtimeClass | quote }}
{{- end }}
{{- if .Values.sandboxes.nodeSelector }}
- name: BERTH_KUBERNETES_NODE_SELECTOR
  value: {{ .Values.sandboxes.nodeSelector | quote }}
{{- end }}
{{- if .Values.sandboxes.tolerations }}
- name: BERTH_KUBERNETES_TOLERATIONS
  value: {{ .Values.sandboxes.tolerations | quote }}
{{- end }}
- name: BERTH_KUBERNETES_WARM_PODS
  value: {{ .Values.sandboxes.warmPods | quote }}
{{- if index .Values.files "pod-patch.yaml" }}
- name: BERTH_KUBERNETES_POD_PATCH
  value: /etc/berth/files/pod-patch.yaml
{{- end }}
{{- if .Values.egress.enabled }}
- name: BERTH_EGRESS_GATEWAY
  value: {{ .Release.Name }}-egress.{{ .Release.Namespace }}.svc:4182
- name: BERTH_KUBERNETES_EGRESS
  value: {{ .Values.sandboxes.egress }}
- name: BERTH_KUBERNETES_EGRESS_IMAGE
  value: {{ include "berth.image" . | quote }}
{{- end }}
{{- range $key, $value := .Values.settings }}
- name: BERTH_{{ upper $key }}
  value: {{ include "berth.setting" $value | quote }}
{{- end }}
{{- with .Values.environment }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Environment variables from Secrets: each entry of a Secret becomes the variable of its name. */}}
{{- define "berth.envFrom" -}}
{{- if or .Values.contents.existingSecret .Values.models.existingSecret }}
envFrom:
  {{- with .Values.contents.existingSecret }}
  - secretRef:
      name: {{ . }}
  {{- end }}
  {{- with .Values.models.existingSecret }}
  - secretRef:
      name: {{ . }}
  {{- end }}
{{- end }}
{{- end }}

{{- define "berth.volumeMounts" -}}
- name: data
  mountPath: /var/lib/berth
- name: tmp
  mountPath: /tmp
- name: database
  mountPath: /etc/berth/database
  readOnly: true
- name: secret-key
  mountPath: /etc/berth/secret-key
  readOnly: true
{{- if .Values.oidc.existingSecret }}
- name: oidc
  mountPath: /etc/berth/oidc
  readOnly: true
{{- end }}
{{- if .Values.files }}
- name: files
  mountPath: /etc/berth/files
  readOnly: true
{{- end }}
{{- end }}

{{/* A pod needs no volume of its own that lasts: lasting data is in the database, in the bucket and on the volumes of sessions. */}}
{{- define "berth.volumes" -}}
- name: data
  emptyDir: {}
- name: tmp
  emptyDir: {}
- name: database
  secret:
    secretName: {{ required "database.existingSecret has to name the Secret with the URL of the database" .Values.database.existingSecret }}
    defaultMode: 288
    items:
      - key: {{ .Values.database.key }}
        path: url
      {{- with .Values.database.directKey }}
      - key: {{ . }}
        path: direct-url
      {{- end }}
- name: secret-key
  secret:
    secretName: {{ required "secretKey.existingSecret has to name the Secret with the key of the installation" .Values.secretKey.existingSecret }}
    defaultMode: 288
    items:
      - key: {{ .Values.secretKey.key }}
        path: secret.key
{{- with .Values.oidc.existingSecret }}
- name: oidc
  secret:
    secretName: {{ . }}
    defaultMode: 288
    items:
      - key: {{ $.Values.oidc.key }}
        path: client-secret
{{- end }}
{{- if .Values.files }}
- name: files
  configMap:
    name: {{ .Release.Name }}-files
{{- end }}
{{- end }}

{{/* Security of a pod: it does not run as root, and its containers have no capabilities ("berth.containerSecurity"). */}}
{{- define "berth.podSecurity" -}}
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: {{ .Values.userId }}
  runAsGroup: {{ .Values.userId }}
  fsGroup: {{ .Values.userId }}
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end }}

{{- define "berth.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{/* Which nodes the pods of a role run on: (dict "root" $ "role" NAME "values" VALUES). */}}
{{- define "berth.placement" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "berth.selector" . | nindent 8 }}
{{- with .values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Probes of a container. The argument is the name of its port. */}}
{{- define "berth.probes" -}}
startupProbe:
  httpGet:
    path: /livez
    port: {{ . }}
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet:
    path: /livez
    port: {{ . }}
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet:
    path: /readyz
    port: {{ . }}
  periodSeconds: 5
  timeoutSeconds: 5
{{- end }}
