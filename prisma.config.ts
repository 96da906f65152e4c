import { defineConfig } from 'prisma/config';

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  // Only commands that look at a database need one; generating does not.
  datasource: { url: process.env.DATABASE_URL ?? '' },
});
