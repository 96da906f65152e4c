import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { classifyAddress } from './address-class.ts';
import { isAllowed } from './check-url.ts';

/** Asks for all addresses of a name. */
export type Resolve = (hostname: string) => Promise<{ address: string; family: number }[]>;

/** The system's resolver. */
export const resolveHost: Resolve = (hostname) => lookup(hostname, { all: true });

/**
 * A `lookup` for sockets that gives out only addresses that may be called. The socket connects to
 * what it was given, so a name cannot mean one address when it is checked and another when it is
 * used. One address that may not be called refuses the name: nobody publishes both by accident.
 */
export function guardedLookup(resolve: Resolve, allowPrivate: boolean): LookupFunction {
  return (hostname, options, callback) => {
    const answer = async () => {
      const found = await resolve(hostname);
      if (found.some(({ address }) => !isAllowed(classifyAddress(address), allowPrivate))) {
        throw new Error(`${hostname} leads to an address that is not on the public internet`);
      }
      return found;
    };
    answer().then(
      (found) => {
        const [first] = found;
        if (first === undefined) callback(new Error(`${hostname} has no address`), '', 0);
        else if (options.all === true) callback(null, found);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, '', 0),
    );
  };
}
