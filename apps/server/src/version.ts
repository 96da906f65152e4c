/** The product's version, as clients and operators see it. */
export const version = '0.1.0';
