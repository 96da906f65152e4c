import { describe, expect, it } from 'vitest';
import { deletesData } from './gated-sql.ts';

describe('SQL that deletes', () => {
  it.each([
    'DROP TABLE users',
    'drop table if exists "users"',
    'select 1; Drop Database shop;',
    'DROP/**/TABLE users',
    '-- a note\ndrop table users',
    'alter table users drop column name',
    'truncate users',
    'TRUNCATE TABLE users',
    'delete from users where id = 1',
    'DELETE\nFROM users',
    'delete u from users u join x',
    'with old as (delete from users returning *) select * from old',
    'explain analyze delete from users',
    'begin; delete from users; commit',
    'do $$ begin drop table users; end $$',
    "execute 'drop table users'",
    "prepare p from 'truncate users'",
    '/*!50000 drop table users */',
    // One database's string is another's statement.
    "select 'a\\'; drop table users; --'",
    'select 5--1; drop table users',
  ])('%s', (sql) => {
    expect(deletesData(sql)).toBe(true);
  });

  it.each([
    'select * from drops',
    "select 'drop table users'",
    'select "delete from users"',
    "insert into log values ('it''s; drop table users')",
    '-- drop table users',
    '/* drop table users */ select 1',
    'select truncate(1.234, 2)',
    'create table a (b int references c on delete cascade)',
    'select deleted, dropped from users',
    'update users set deleted = true',
    'grant delete on users to app',
    'app.db',
    '',
  ])('but not: %s', (sql) => {
    expect(deletesData(sql)).toBe(false);
  });
});
