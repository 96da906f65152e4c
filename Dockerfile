FROM node:22-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages ./packages
COPY services ./services
COPY apps ./apps
RUN npm ci --no-audit --no-fund
COPY prisma ./prisma
COPY prisma.config.ts tsconfig.json turbo.json ./
COPY scripts ./scripts
ENV TURBO_TELEMETRY_DISABLED=1
RUN npm run build && npm prune --omit=dev --no-audit --no-fund

FROM node:22-slim
RUN apt-get update \
  && apt-get install --yes --no-install-recommends bubblewrap ca-certificates git tini \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
ENV NODE_ENV=production
COPY --from=build --chown=root:root /app /app
# The workspace and data volumes take their owner from these directories.
RUN mkdir /workspace /data && chown node:node /workspace /data
USER node
ENTRYPOINT ["tini", "--", "node", "/app/apps/cli/bin/loom.mjs"]
CMD ["up"]
