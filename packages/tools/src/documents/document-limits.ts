/** What reading one document may cost; what lies beyond is cut or refused in words. */
export const documentLimits = {
  /** More text is cut, and the text says so. */
  max_chars: 2_000_000,
  /** More pages are cut, and the text says so. */
  max_pages: 500,
  /** An archive with more entries is refused. */
  max_entries: 10_000,
  /** All parts together; an archive that unpacks to more is refused. */
  max_inflated_bytes: 64 * 1024 * 1024,
  /** A document that takes longer is given up. */
  max_ms: 20_000,
  /** A worker that needs more memory is stopped. */
  max_memory_mb: 512,
} as const;
