import type { Identity } from '@loom/db/read/api-keys';
import { AppError } from '@loom/shared/app-error';
import type { Caller } from '@loom/shared/intake';

/**
 * Who may use a route: anybody, any key, a key with scope `admin`, or an admin key of the default
 * tenant, which runs the installation and so may touch what all tenants share.
 */
export type Access = 'public' | 'user' | 'admin' | 'operator';

const operatorTenant = 'default';

/** Whether an identity runs the installation. */
export function isOperator(identity: Identity): boolean {
  return identity.scopes.includes('admin') && identity.tenant_id === operatorTenant;
}

/** Refuses an identity that lacks what a route needs. */
export function requireAccess(identity: Identity, access: Access): void {
  if (access === 'public' || access === 'user') return;
  if (!identity.scopes.includes('admin')) {
    throw new AppError('forbidden', 'This needs an API key with the scope "admin".');
  }
  if (access === 'operator' && !isOperator(identity)) {
    throw new AppError('forbidden', 'This needs an admin key of the default tenant.');
  }
}

/** Whose rows an admin may see: null stands for every tenant. */
export function visibleTenant(identity: Identity): string | null {
  return isOperator(identity) ? null : identity.tenant_id;
}

/** The identity as writes know it. */
export function toCaller(identity: Identity): Caller {
  return { tenant_id: identity.tenant_id, actor: identity.key_id };
}
