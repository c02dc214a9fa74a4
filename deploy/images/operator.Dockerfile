# The operator in an image that holds Node and one file. Build it in the root of the project, after `npm run build`.
ARG NODE_IMAGE=gcr.io/distroless/nodejs24-debian13:nonroot
FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="atoll-operator" \
      org.opencontainers.image.description="One Kubernetes operator for workloads that span many groups of nodes" \
      org.opencontainers.image.version="0.8.0" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY dist/LICENSE /LICENSE
COPY dist/atoll-operator.cdx.json dist/atoll-operator.licences.txt /licences/
COPY dist/atoll-operator.mjs dist/atoll-operator.mjs.map /app/
USER 65532:65532
EXPOSE 8080 8443 9443
ENTRYPOINT ["/nodejs/bin/node", "--enable-source-maps", "/app/atoll-operator.mjs"]
