import { listArtifacts } from '@loom/db/artifacts/list-artifacts';
import { loadArtifact } from '@loom/db/artifacts/load-artifact';
import { artifactKinds } from '@loom/shared/tool';
import { z } from 'zod';
import { artifactHeaders } from '../artifact-headers.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { listQuerySchema, pageSchema } from '../list-query.ts';
import { addRoute, type GatewayApp, notFound } from '../route.ts';

const artifactSchema = z.object({
  ref: z.string(),
  name: z.string(),
  kind: z.enum(artifactKinds),
  mime: z.string(),
  size: z.number().int(),
  source: z.string(),
  task_id: z.string().nullable(),
  subtask_id: z.string().nullable(),
  turn_id: z.string().nullable(),
  created_at: z.string(),
});

/** What tools kept beside the workspace: lists, and the bytes. */
export function addArtifactRoutes(app: GatewayApp, { db }: GatewayParts): void {
  const common = { tag: 'Artifacts', access: 'user', method: 'get', status: 200 } as const;
  const list = { ...common, query: listQuerySchema, response: pageSchema(artifactSchema) } as const;

  addRoute(
    app,
    {
      ...list,
      path: '/api/tasks/{id}/artifacts',
      summary: 'What tools kept for a task, oldest first',
    },
    async (c, { params: { id }, query }) => {
      const { tenant_id } = c.get('identity');
      const page = await listArtifacts(db, { tenant_id, owner: { task_id: id }, ...query });
      if (page === null) throw notFound('task');
      return c.json(page);
    },
  );

  addRoute(
    app,
    {
      ...list,
      path: '/api/sessions/{id}/artifacts',
      summary: 'What tools kept in a session and its tasks, oldest first',
    },
    async (c, { params: { id }, query }) => {
      const { tenant_id } = c.get('identity');
      const page = await listArtifacts(db, { tenant_id, owner: { session_id: id }, ...query });
      if (page === null) throw notFound('session');
      return c.json(page);
    },
  );

  addRoute(
    app,
    {
      ...common,
      path: '/api/artifacts/{ref}',
      summary: 'The bytes of an artifact, as a file to save',
      bytes: true,
    },
    async (c, { params: { ref } }) => {
      const { tenant_id } = c.get('identity');
      const artifact = await loadArtifact(db, { tenant_id, ref });
      if (artifact === null) throw notFound('artifact');
      return c.body(new Uint8Array(artifact.content), 200, artifactHeaders(artifact));
    },
  );
}
