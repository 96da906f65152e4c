import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '@loom/testing/test-database';
import { beforeAll, expect, test } from 'vitest';
import { Prisma } from './generated/prisma/client.ts';
import { findMigrationsDir } from './migration-files.ts';

interface Column {
  type: string;
  not_null: boolean;
  has_default: boolean;
}

interface Table {
  columns: Record<string, Column>;
  primary_key: string[];
}

const scalarTypes: Record<string, string> = {
  String: 'text',
  Int: 'integer',
  BigInt: 'bigint',
  Bytes: 'bytea',
  Boolean: 'boolean',
  Float: 'double precision',
  Json: 'jsonb',
};

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});

test('schema.prisma describes exactly the tables that the migrations make', async () => {
  const schema = readFileSync(join(dirname(findMigrationsDir()), 'schema.prisma'), 'utf8');
  const described = readSchema(schema);
  expect(Object.keys(described).length).toBeGreaterThan(0);
  expect(described).toEqual(await readCatalog());
});

test('Prisma reads every table', async () => {
  for (const name of Object.keys(Prisma.ModelName)) {
    const model = Reflect.get(
      await db.database.prisma(),
      name.charAt(0).toLowerCase() + name.slice(1),
    );
    // The policy of tasks from before there were policies comes with its migration.
    const rows = name === 'Policy' ? 1 : 0;
    expect(await model.findMany(), name).toHaveLength(rows);
  }
});

function readSchema(schema: string): Record<string, Table> {
  const models = [...schema.matchAll(/^model (\w+) \{\n(.*?)^\}/gms)];
  const names = new Set(models.map(([, name]) => name));
  return Object.fromEntries(
    models.map(([, name = '', body = '']) => {
      const table = body.match(/@@map\("(\w+)"\)/)?.[1] ?? name;
      return [table, readModel(body, names)];
    }),
  );
}

function readModel(body: string, models: Set<string | undefined>): Table {
  const columns: Record<string, Column> = {};
  let primaryKey = listOf(body.match(/@@id\(\[(.*?)\]/)?.[1]);
  for (const [, name = '', type = '', suffix = '', attributes = ''] of body.matchAll(
    /^ {2}(\w+) +(\w+(?:\("\w+"\))?)(\?|\[\])?(.*)$/gm,
  )) {
    if (models.has(type)) continue;
    if (/@id\b/.test(attributes)) primaryKey = [name];
    columns[name] = {
      type: columnType(type, attributes) + (suffix === '[]' ? '[]' : ''),
      not_null: suffix !== '?',
      has_default: attributes.includes('@default('),
    };
  }
  return { columns, primary_key: primaryKey };
}

function columnType(type: string, attributes: string): string {
  const unsupported = type.match(/^Unsupported\("(\w+)"\)$/)?.[1];
  const precision = attributes.match(/@db\.Timestamptz\((\d)\)/)?.[1];
  if (type === 'DateTime') return `timestamp(${precision}) with time zone`;
  return unsupported ?? scalarTypes[type] ?? `unknown to this test: ${type}`;
}

function listOf(text: string | undefined): string[] {
  return text === undefined ? [] : text.split(',').map((part) => part.trim());
}

async function readCatalog(): Promise<Record<string, Table>> {
  const rows = await db.rows<Column & { table: string; column: string; key_place: number | null }>(
    `SELECT c.relname AS table, a.attname AS column,
            format_type(a.atttypid, a.atttypmod) AS type,
            a.attnotnull AS not_null,
            a.atthasdef AND a.attgenerated = '' AS has_default,
            array_position(i.indkey::int2[], a.attnum) AS key_place
     FROM pg_class c
     JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
     WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
       AND c.relname <> '_prisma_migrations'
     ORDER BY c.relname, a.attnum`,
  );
  const tables: Record<string, Table> = {};
  for (const { table, column, key_place, ...rest } of rows) {
    tables[table] ??= { columns: {}, primary_key: [] };
    tables[table].columns[column] = rest;
    // int2vector counts from 0.
    if (key_place !== null) tables[table].primary_key[key_place] = column;
  }
  return tables;
}
