type TomlValue = string | number | boolean | string[];

/** Tables of a `loom.toml` by their dotted name. */
export type ConfigTables = Record<string, Record<string, TomlValue>>;

/** Lays tables over each other; a later value wins. */
export function mergeConfig(...layers: ConfigTables[]): ConfigTables {
  const merged: ConfigTables = {};
  for (const layer of layers) {
    for (const [table, values] of Object.entries(layer)) {
      merged[table] = { ...merged[table], ...values };
    }
  }
  return merged;
}

/** The tables as TOML; JSON's notation for these values is also TOML's. */
export function writeToml(tables: ConfigTables): string {
  return Object.entries(tables)
    .map(([table, values]) => {
      const lines = Object.entries(values).map(
        ([key, value]) => `${key} = ${JSON.stringify(value)}`,
      );
      return [`[${table}]`, ...lines, ''].join('\n');
    })
    .join('\n');
}
