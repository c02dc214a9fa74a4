# The commands for people and pipelines in an image that holds Node and one file for each. Build it in the root of the project, after `npm run build`.
# `check-eds` is run with `--entrypoint /nodejs/bin/node <image> /app/check-eds.mjs`.
ARG NODE_IMAGE=gcr.io/distroless/nodejs24-debian13:nonroot
FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="atoll-cli" \
      org.opencontainers.image.description="kubectl-eds and check-eds, the commands for ExtendedDaemonSets" \
      org.opencontainers.image.version="0.8.0" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY dist/LICENSE /LICENSE
COPY dist/check-eds.cdx.json dist/check-eds.licences.txt dist/kubectl-eds.cdx.json dist/kubectl-eds.licences.txt /licences/
COPY dist/check-eds.mjs dist/check-eds.mjs.map dist/kubectl-eds.mjs dist/kubectl-eds.mjs.map /app/
USER 65532:65532
ENTRYPOINT ["/nodejs/bin/node", "/app/kubectl-eds.mjs"]
