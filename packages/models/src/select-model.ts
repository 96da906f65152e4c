import type { ModelInfo, ModelRequest } from '@loom/shared/chat';

export type ModelWish = Pick<ModelRequest, 'role' | 'tier' | 'model' | 'avoid_model'>;

/**
 * The model for a request: the named one, else one with the role whose tier is nearest above the
 * wanted tier, else the highest below. Without a wanted tier, the first configured.
 */
export function selectModel(models: readonly ModelInfo[], wish: ModelWish): ModelInfo | null {
  if (wish.model !== undefined) return models.find(({ name }) => name === wish.model) ?? null;
  const withRole = models.filter((model) => model.roles.includes(wish.role));
  const others = withRole.filter((model) => model.name !== wish.avoid_model);
  const candidates = others.length > 0 ? others : withRole;
  const wanted = wish.tier;
  if (wanted === undefined) return candidates[0] ?? null;
  const enough = candidates.filter((model) => model.tier >= wanted);
  if (enough.length > 0) return first(enough, (a, b) => a.tier - b.tier);
  return first(candidates, (a, b) => b.tier - a.tier);
}

function first(models: ModelInfo[], order: (a: ModelInfo, b: ModelInfo) => number) {
  return models.toSorted(order)[0] ?? null;
}
