import { z } from 'zod';

const text = z.string().trim().min(1).max(20_000);
/** Models write what they found as a sentence, or as an object around one. */
const discoverySchema = z.union([
  text,
  z.object({ summary: text }).transform((one) => one.summary),
]);

export const completionStatuses = ['done', 'partial', 'blocked'] as const;

/** What an executor says at its end about its own work: a claim, which is judged by others. */
export const completionSchema = z.object({
  status: z.enum(completionStatuses),
  summary: text,
  deliverables: z.array(text).max(200).default([]),
  evidence: z.array(z.json()).max(200).default([]),
  discoveries: z.array(discoverySchema).max(50).default([]),
});
export type Completion = z.infer<typeof completionSchema>;
