/** What an MCP server may cost us, whatever it does. Beyond a bound it is cut, left out or disconnected. */
export const mcpLimits = {
  /** One message; a server that sends a longer one is disconnected. */
  message_bytes: 16 * 1024 * 1024,
  /** Messages in one second; a server that sends more is disconnected. */
  messages_a_second: 2_000,
  /** What we say to a program that does not listen. */
  unread_bytes: 16 * 1024 * 1024,
  /** Tools of one server, and the pages on which they may come. */
  tools: 200,
  pages: 50,
  schema_bytes: 64 * 1024,
  schema_depth: 32,
  description_chars: 2_000,
  result_chars: 1_000_000,
  /** Images and files kept of one result. */
  artifacts: 20,
  /** What a program prints beside the protocol and is written to the log, for each of its starts. */
  stderr_lines: 100,
  stderr_line_chars: 500,
  /** How often a server that says that its tools changed is asked for them. */
  refresh_ms: 1_000,
} as const;
