import { z } from 'zod';

export const verdictOutcomes = ['pass', 'pass_with_warnings', 'partial_verified', 'fail'] as const;

export const severityClasses = ['hard_invariant', 'semantic', 'inconclusive', 'infra'] as const;

/** What a verdict looked at: a file with its hash, a command with its exit code, a quote. */
export const evidenceItemSchema = z.object({
  claim: z.string().default(''),
  source: z.string().default(''),
  quote: z.string().default(''),
});
export type EvidenceItem = z.infer<typeof evidenceItemSchema>;

/** A verifier model's answer (contract, section 5). */
export const verifierAnswerSchema = z.object({
  outcome: z.enum(verdictOutcomes),
  confidence: z.number().min(0).max(1).default(0.5),
  reason_code: z.string().max(100).default(''),
  severity_class: z.string().max(40).default('semantic'),
  feedback: z.string().default(''),
  evidence: z.array(evidenceItemSchema).default([]),
  missing_targets: z.array(z.string()).default([]),
});
export type VerifierAnswer = z.infer<typeof verifierAnswerSchema>;

/** One deterministic check of tier 1 and what it found. */
export const checkResultSchema = z.object({
  name: z.string(),
  target: z.string(),
  passed: z.boolean(),
  advisory: z.boolean(),
  detail: z.string(),
  sha256: z.string().optional(),
  exit_code: z.number().int().optional(),
});
export type CheckResult = z.infer<typeof checkResultSchema>;

/** The judgement of one attempt. */
export const verdictSchema = z.object({
  outcome: z.enum(verdictOutcomes),
  /** The highest tier that was really run. */
  tier: z.number().int(),
  /** False when the asked tier could not run for want of a verifier. */
  conclusive: z.boolean(),
  confidence: z.number(),
  reason_code: z.string(),
  severity_class: z.enum(severityClasses),
  feedback: z.string(),
  evidence: z.array(evidenceItemSchema),
  checks: z.array(checkResultSchema),
  missing_targets: z.array(z.string()),
});
export type Verdict = z.infer<typeof verdictSchema>;
