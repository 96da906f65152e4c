import type { ModelInfo } from '@loom/shared/chat';
import { invalidField } from './problem.ts';

/** Refuses a model that is not configured. */
export function requireModel(models: ModelInfo[], name: string | undefined): void {
  if (name === undefined || models.some((model) => model.name === name)) return;
  const known = models.map((model) => model.name).join(', ') || 'none';
  throw invalidField('model', `is not configured (configured: ${known})`);
}
