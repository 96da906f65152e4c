import type { OpenAPIHono } from '@hono/zod-openapi';
import { problemSchema } from '@loom/shared/api';
import { AppError } from '@loom/shared/app-error';
import type { Context } from 'hono';
import type { z } from 'zod';
import { type Access, requireAccess } from './access.ts';
import type { GatewayEnv } from './gateway-deps.ts';
import { invalidRequest } from './on-error.ts';
import { toOpenApiSchema } from './openapi-schema.ts';
import { readJsonBody } from './read-json-body.ts';

export type GatewayApp = OpenAPIHono<GatewayEnv>;

type PathParams<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { [Key in Name]: string } & PathParams<Rest>
  : unknown;

interface RouteSpec<Path extends string, Query, Body> {
  method: 'get' | 'post' | 'delete';
  path: Path;
  tag: string;
  summary: string;
  access: Access;
  query?: z.ZodObject & z.ZodType<Query>;
  body?: z.ZodType<Body>;
  /** Request headers worth naming in the document. */
  headers?: Record<string, string>;
  status: number;
  /** Absent: the answer has no JSON body. */
  response?: z.ZodType;
  /** Other forms of the answer, when the client asks for them. */
  stream?: boolean;
  csv?: boolean;
  /** The answer is a file of whatever kind. */
  bytes?: boolean;
  /** The answer is text of one of these media types. */
  text?: string[];
}

interface RouteInput<Path extends string, Query, Body> {
  params: PathParams<Path>;
  query: Query;
  body: Body;
}

// Anything else is no id that we ever gave out, and could not even be sent to the database.
const paramPattern = /^[!-~]{1,300}$/;

/** Adds one route: what the document says of it is what is checked before its handler runs. */
export function addRoute<Path extends string, Query = unknown, Body = undefined>(
  app: GatewayApp,
  spec: RouteSpec<Path, Query, Body>,
  handler: (
    c: Context<GatewayEnv>,
    input: RouteInput<Path, Query, Body>,
  ) => Promise<Response> | Response,
): void {
  document(app, spec);
  app.on(spec.method.toUpperCase(), spec.path.replaceAll(/\{(\w+)\}/g, ':$1'), async (c) => {
    if (spec.access !== 'public') requireAccess(c.get('identity'), spec.access);
    const params = c.req.param() as Record<string, string>;
    for (const value of Object.values(params)) {
      if (!paramPattern.test(value)) throw notFound();
    }
    const query = spec.query === undefined ? {} : check(spec.query, c.req.query());
    const body = spec.body === undefined ? undefined : check(spec.body, await readJsonBody(c));
    return handler(c, { params, query, body } as RouteInput<Path, Query, Body>);
  });
}

/** What a route answers when the tenant has no such thing. */
export function notFound(what = 'thing'): AppError {
  return new AppError('not_found', `There is no such ${what}.`);
}

function check<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value ?? {});
  if (result.success) return result.data;
  throw invalidRequest(result.error);
}

function document<Path extends string, Query, Body>(
  app: GatewayApp,
  spec: RouteSpec<Path, Query, Body>,
): void {
  const params = [...spec.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name: name ?? '',
    in: 'path' as const,
    required: true,
    schema: { type: 'string' as const },
  }));
  const headers = Object.entries(spec.headers ?? {}).map(([name, description]) => ({
    name,
    in: 'header' as const,
    description,
    schema: { type: 'string' as const },
  }));
  app.openAPIRegistry.registerPath({
    method: spec.method,
    path: spec.path,
    tags: [spec.tag],
    summary: spec.summary,
    security: spec.access === 'public' ? [] : [{ bearer: [] }, { cookie: [] }],
    parameters: [...params, ...queryParameters(spec.query), ...headers],
    request:
      spec.body === undefined
        ? {}
        : {
            body: {
              required: !spec.body.safeParse({}).success,
              content: jsonContent(spec.body, 'input'),
            },
          },
    responses: {
      [spec.status]: {
        description: spec.summary,
        content: {
          ...(spec.response === undefined ? {} : jsonContent(spec.response, 'output')),
          ...(spec.stream ? textContent('text/event-stream') : {}),
          ...(spec.csv ? textContent('text/csv') : {}),
          ...Object.assign({}, ...(spec.text ?? []).map(textContent)),
          ...(spec.bytes ? { '*/*': { schema: { type: 'string', format: 'binary' } } } : {}),
        },
      },
      default: {
        description: 'A problem (RFC 9457)',
        content: {
          'application/problem+json': { schema: toOpenApiSchema(problemSchema, 'output') },
        },
      },
    },
  });
}

function queryParameters(query: z.ZodObject | undefined) {
  if (query === undefined) return [];
  const schema = toOpenApiSchema(query, 'input');
  const properties = (schema.properties ?? {}) as Record<string, Record<string, unknown>>;
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: 'query' as const,
    schema: property,
  }));
}

function jsonContent(schema: z.ZodType, io: 'input' | 'output') {
  return { 'application/json': { schema: toOpenApiSchema(schema, io) } };
}

function textContent(mediaType: string) {
  return { [mediaType]: { schema: { type: 'string' as const } } };
}
