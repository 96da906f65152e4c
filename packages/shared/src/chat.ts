import { z } from 'zod';

/** One call a model asked for. `arguments` is whatever the model sent, valid or not. */
export const toolCallSchema = z.object({
  id: z.string(),
  name: z.string(),
  arguments: z.json(),
});
export type ToolCall = z.infer<typeof toolCallSchema>;

export const chatRoles = ['system', 'user', 'assistant', 'tool'] as const;
export type ChatRole = (typeof chatRoles)[number];

/** A message as models see it, whatever the provider. */
export interface ChatMessage {
  role: ChatRole;
  content: string;
  tool_calls?: ToolCall[];
  tool_call_id?: string;
  tool_name?: string;
  /** Of a tool's result: the call failed. */
  failed?: boolean;
}

export const modelRoles = ['cowork', 'planner', 'executor', 'verifier', 'extractor'] as const;
export type ModelRole = (typeof modelRoles)[number];

/** What a model is told about a tool. */
export interface ToolSpec {
  name: string;
  description: string;
  input_schema: Record<string, unknown>;
}

export interface TokenUsage {
  input_tokens: number;
  output_tokens: number;
}

export interface ModelRequest {
  role: ModelRole;
  messages: ChatMessage[];
  tools?: ToolSpec[];
  tier?: number;
  /** A configured model's name; wins over role and tier. */
  model?: string;
  /** The verifier prefers a model other than the executor's. */
  avoid_model?: string;
  signal?: AbortSignal;
  /** Called with each piece of text as it arrives; absent: no streaming. */
  on_delta?: (text: string) => void;
  /** Called before each repeated try, so that it can be shown. */
  on_retry?: (retry: { attempt: number; delay_ms: number; reason: string }) => void;
}

export interface ModelReply {
  text: string;
  tool_calls: ToolCall[];
  usage: TokenUsage;
  /** What the call cost by the configured prices, in millionths of a dollar. */
  cost_micros: number;
  /** The configured name of the model that answered. */
  model: string;
}

export interface ModelInfo {
  name: string;
  provider: string;
  model: string;
  roles: ModelRole[];
  tier: number;
  context_tokens: number;
  max_output_tokens: number;
  is_demo: boolean;
}

/** The port through which every model call goes. */
export interface Models {
  complete(request: ModelRequest): Promise<ModelReply>;
  list(): ModelInfo[];
  /** The model a request would go to, or null when none is configured for the role. */
  select(request: Pick<ModelRequest, 'role' | 'tier' | 'model' | 'avoid_model'>): ModelInfo | null;
}
