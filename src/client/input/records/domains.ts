/** Schemas of the queries that search for a domain or name one. */

import { domainName } from '../domain-name.js';
import { recordSchema } from '../record-schema.js';
import { text } from '../values/text.js';

/** GET /domains/search */
export const searchFilters = recordSchema<{ q: string }>({ q: text });

/** GET /availability, GET /pricing, GET /brokerage/eligibility */
export const domainFilter = recordSchema<{ domain: string }>({ domain: domainName });
