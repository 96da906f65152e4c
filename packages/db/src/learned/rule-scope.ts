import { basename } from 'node:path';

/** The scope of rules that hold for a whole tenant. */
export const tenantWide = '';

// What a session gets that names no workspace: a directory that nobody works in again.
const ownDirectory = /^ws_[0-9a-z]{26}$/;

/** Where rules learnt in a workspace hold: there, or in all of the tenant when nobody chose it. */
export function ruleScope(workspace: string | null): string {
  return workspace === null || ownDirectory.test(basename(workspace)) ? tenantWide : workspace;
}
