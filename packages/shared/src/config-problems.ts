import type { z } from 'zod';
import { findKey, knownKeys } from './config-schema-walk.ts';
import { nearestKey } from './nearest-key.ts';

/** Says of an unknown key what it was probably meant to be. */
export function describeUnknownKey(
  schema: z.core.$ZodType,
  parent: readonly PropertyKey[],
  key: string,
): string {
  const nearest = nearestKey(key, knownKeys(schema, parent));
  const isClose = nearest !== null && nearest.distance <= Math.max(2, key.length / 3);
  const suggestion = isClose ? nearest.key : (findKey(schema, key) ?? nearest?.key);
  return suggestion === undefined
    ? 'unknown key, there are no keys here yet'
    : `unknown key, did you mean "${suggestion}"?`;
}

/**
 * One line for each thing wrong with a configuration, each beginning with where it was said:
 * `sourceOf` names the variable that set a path, or null for the file. Values are never shown.
 */
export function describeConfigIssues(
  schema: z.core.$ZodType,
  issues: readonly z.core.$ZodIssue[],
  sourceOf: (path: string) => string | null,
): string[] {
  return issues.flatMap((issue) => {
    const path = issue.path.map(String);
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => {
        const at = [...path, key].join('.');
        return `${sourceOf(at) ?? at}: ${describeUnknownKey(schema, path, key)}`;
      });
    }
    const at = path.join('.');
    return [`${sourceOf(at) ?? at}: ${describeIssue(issue)}`];
  });
}

const tomlNames: Record<string, string> = {
  object: 'a table',
  record: 'a table',
  array: 'a list',
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
};

function describeIssue(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.message.endsWith('received undefined')
        ? 'is required'
        : `must be ${tomlNames[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map((value) => `"${String(value)}"`).join(', ')}`;
    case 'too_small':
      return `must ${countable(issue.origin)} ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`;
    case 'too_big':
      return `must ${countable(issue.origin)} ${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum}`;
    case 'invalid_key':
      return issue.issues[0]?.message ?? issue.message;
    default:
      return issue.message;
  }
}

function countable(origin: string): string {
  return origin === 'array' || origin === 'string' ? 'have a length of' : 'be';
}
