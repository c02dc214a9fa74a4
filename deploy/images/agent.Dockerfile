# The node agent in an image that holds Node and one file. Build it in the root of the project, after `npm run build`.
# Root without capabilities in its DaemonSet, because the kubelet makes the directory of its cache for root.
ARG NODE_IMAGE=gcr.io/distroless/nodejs24-debian13:latest
FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="atoll-agent" \
      org.opencontainers.image.description="Shows a node's pods and upgrades them when the owner of the node asks" \
      org.opencontainers.image.version="0.8.0" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY dist/LICENSE /LICENSE
COPY dist/atoll-agent.cdx.json dist/atoll-agent.licences.txt /licences/
COPY dist/atoll-agent.mjs dist/atoll-agent.mjs.map /app/
EXPOSE 10267
ENTRYPOINT ["/nodejs/bin/node", "/app/atoll-agent.mjs"]
