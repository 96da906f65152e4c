import { z } from 'zod';

const defaultLimit = 50;
const maxLimit = 200;

/** `?limit=` as text: 1 to 200. */
export const limitSchema = z
  .string()
  .regex(/^\d{1,3}$/, 'must be a whole number')
  .transform(Number)
  .pipe(z.number().int().min(1).max(maxLimit))
  .optional()
  .transform((limit) => limit ?? defaultLimit);

/** `?cursor=`: whatever a list gave out. */
export const cursorSchema = z.string().max(1_000).optional();

/** What every list takes. */
export const listQuerySchema = z.object({ limit: limitSchema, cursor: cursorSchema });

/** A message or sequence number in a query. */
export const numberTextSchema = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a whole number')
  .transform(Number);

/** What every list answers. */
export function pageSchema<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), next_cursor: z.string().nullable() });
}
