# Temporal's core has no build for musl, so: Debian, not Alpine. Optional packages stay: the workflow bundler is one of them.
FROM node:24-bookworm-slim
# With an arena of malloc for each of its threads a worker holds fifty megabytes more than it uses.
ENV MALLOC_ARENA_MAX=2
# malloc would raise it to the largest block that was freed, up to 32 MB, and then keep the blocks of large mails.
ENV MALLOC_MMAP_THRESHOLD_=131072
ENV NODE_ENV=production HOST=0.0.0.0 INBOUND_SMTP_HOST=0.0.0.0 SUBMISSION_HOST=0.0.0.0
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --no-audit --no-fund && npm cache clean --force
COPY schemas schemas
COPY core core
COPY platform platform
COPY workflows workflows
COPY activities activities
COPY workers workers
COPY api api
COPY client client
COPY console console
COPY cli cli
# For one release: the old path of cli/admin.ts.
COPY stack/admin.ts stack/admin.ts
COPY docs/openapi.json docs/openapi.json
# Once for all workers, which are up three seconds sooner.
RUN node workers/bundle.ts > workflows.js
ENV WORKFLOW_BUNDLE=/app/workflows.js
RUN node api/console/bundle.ts /app/console-bundle
ENV CONSOLE_BUNDLE=/app/console-bundle
RUN mkdir -p /data/media /data/dots && chown -R node:node /data
USER node
ENV DATA_DIR=/data
EXPOSE 3000 2525 2587 2465
# stack/apps.ts says why these nurseries.
CMD ["node", "--max-semi-space-size=32", "api/main.ts"]
