/**
 * `node --import` of this file lets a program of examples/durable import the packages of
 * test/durable/servers, as if they were installed beside it.
 */

import { register } from 'node:module';

const installed = new URL('../servers/package.json', import.meta.url).href;

export async function resolve(specifier, context, next) {
  try {
    return await next(specifier, context);
  } catch (error) {
    if (!/^[@a-z]/.test(specifier)) throw error;
    // An example with a package.json of its own is outside this package.
    const isOurs = specifier.startsWith('market-partner-sdk');
    return next(specifier, { ...context, parentURL: isOurs ? import.meta.url : installed });
  }
}

// The hooks run in a thread of their own, which loads this file again.
if (!new URL(import.meta.url).searchParams.has('hooks')) {
  register(`${import.meta.url}?hooks`);
}
