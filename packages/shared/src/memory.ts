import { z } from 'zod';

/** What kinds of things are worth remembering of a subtask. */
export const memoryTypes = [
  'decision',
  'error',
  'discovery',
  'tool_result',
  'user_instruction',
  'artifact',
  'context',
] as const;
export type MemoryType = (typeof memoryTypes)[number];

/** Bounds of an entry in characters, and of its tags in number. */
export const memoryLimits = { summary: 150, detail: 2_000, tag: 40, tags: 8 } as const;

/** One thing that was learnt, before it is stored. */
export interface NewMemory {
  type: MemoryType;
  /** One sentence. */
  summary: string;
  detail: string;
  tags: string[];
}

/** An entry as its tenant sees it. */
export const memoryEntrySchema = z.object({
  id: z.string(),
  task_id: z.string(),
  subtask_id: z.string(),
  attempt: z.number().int(),
  type: z.enum(memoryTypes),
  summary: z.string(),
  detail: z.string(),
  tags: z.array(z.string()),
  created_at: z.string(),
});
export type MemoryEntry = z.infer<typeof memoryEntrySchema>;

/** What an extractor answers with; what its entries hold is looked at one by one. */
export const extractionSchema = z.object({ entries: z.array(z.unknown()) });

/** An entry as an extractor writes it: a type and a summary are needed, the rest is forgiven. */
export const extractedEntrySchema = z.object({
  type: z.string().trim().toLowerCase().pipe(z.enum(memoryTypes)),
  summary: z.string().trim().min(1),
  detail: z.string().catch(''),
  tags: z.array(z.string().catch('')).catch([]),
});
