import { z } from 'zod';

/** The name of a server in `[mcp.servers.<name>]`; its tools are called `<name>__<tool>`. */
export const mcpServerNameSchema = z.string().regex(
  // The first double underscore of a tool's full name ends the server's, whatever the tool is called.
  /^[A-Za-z0-9](?:[A-Za-z0-9-]|_(?!_|$)){0,30}$/,
  'use letters, digits, dashes and single underscores inside the name',
);

const variableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is the name of an environment variable, never a secret');

/** Where the secrets of a server come from: names of variables, never the secrets. */
export const mcpCredentialsSchema = z.strictObject({
  /** For a program: variables it sees, by the name under which it sees them. */
  env: z.record(variableName, variableName).default({}),
  /** For a URL: headers, each with the variable that holds its value. */
  headers_env: z.record(z.string().regex(/^[A-Za-z0-9-]+$/), variableName).default({}),
});
export type McpCredentials = z.infer<typeof mcpCredentialsSchema>;

/** One `[mcp.servers.<name>]`: a program that is started, or a URL that is called. */
export const mcpServerSchema = mcpCredentialsSchema
  .extend({
    command: z.string().min(1).optional(),
    args: z.array(z.string()).default([]),
    /** Directories that the program may write to, and those it may only read. */
    directories: z.array(z.string().min(1)).default([]),
    read_directories: z.array(z.string().min(1)).default([]),
    /** Whether the program may use the network. */
    network: z.boolean().default(false),
    url: z
      .url({ protocol: /^https?$/, error: 'must be a URL that begins with http:// or https://' })
      .optional(),
    /**
     * Believes what the server says of its tools: that one only reads, or may run twice. Otherwise
     * every one of them counts as having an effect that must not be repeated.
     */
    trust_annotations: z.boolean().default(false),
    /** Only these tools of the server are offered; all when left out. */
    tools: z.array(z.string().min(1)).optional(),
    connect_timeout_seconds: z.number().positive().default(15),
    call_timeout_seconds: z.number().positive().default(60),
    /** Failures in a row after which the server is left alone, and for how long. */
    breaker_failures: z.number().int().min(1).default(5),
    breaker_seconds: z.number().positive().default(30),
  })
  .refine((server) => (server.command === undefined) !== (server.url === undefined), {
    path: ['command'],
    error: 'give either a command or a url',
    when: () => true,
  });
export type McpServerConfig = z.infer<typeof mcpServerSchema>;
