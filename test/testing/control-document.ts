/** openApi: the control API as a document of OpenAPI 3.1, from the schemas that check its calls: docs/openapi.json. */

import * as z from 'zod/mini';
import { version } from '../../src/core/version.js';
import { faultKinds, faultNames } from '../../src/testing/faults/fault-kinds.js';
import type { Fields } from '../../src/testing/values.js';
import type { Route } from '../../src/testing/control/route.js';
import { routes } from '../../src/testing/control/routes.js';

type Json = Readonly<Record<string, unknown>>;

/** The document; its paths begin at the emulator's origin. */
export function openApi() {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const path = (paths[`/_emulator/v1${route.path}`] ??= {});
    path[route.method.toLowerCase()] = operation(route);
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Control API of the market-partner-sdk emulator',
      version,
      description:
        'Drives an emulator. A refused call is { code, message }, and its message names the field and the rule. GET /_emulator/v1/stream sends what happens as server-sent events.',
    },
    // No call needs the token unless the emulator was started with one.
    security: [{}, { controlToken: [] }],
    paths,
    components: {
      securitySchemes: { controlToken: { type: 'http', scheme: 'bearer' } },
      schemas: {
        Fault: { anyOf: faultNames.map(describeFault) },
        Error: {
          type: 'object',
          properties: { code: { type: 'string' }, message: { type: 'string' } },
          required: ['code', 'message'],
        },
      },
    },
  };
}

function operation({ method, path, summary, fields: fieldsOf }: Route): Json {
  const { properties = {}, required = [], ...schema } = toJsonSchema(fieldsOf());
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const inQuery = Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
  const body = { ...schema, properties, ...(required.length === 0 ? {} : { required }) };
  return {
    operationId: `${method.toLowerCase()}${path.replace(/\W+(\w)?/g, (_, first = '') => String(first).toUpperCase())}`,
    summary,
    parameters: [...inPath, ...(method === 'GET' ? inQuery : [])],
    ...(method === 'POST' ? { requestBody: { required: true, content: json(body) } } : {}),
    responses: {
      200: { description: 'Done.', content: json({}) },
      default: { description: 'Refused.', content: json({ $ref: '#/components/schemas/Error' }) },
    },
  };
}

function describeFault(name: (typeof faultNames)[number]) {
  const { effect, fields } = faultKinds[name];
  const schema = toJsonSchema({ name: z.literal(name), ...fields() });
  return { title: name, description: effect, ...schema };
}

function toJsonSchema(fields: Fields) {
  // The client's side of each field: before defaults are filled in.
  const schema = z.toJSONSchema(z.strictObject(fields), { io: 'input', unrepresentable: 'any' });
  delete schema.$schema; // the document says it for all
  return schema;
}

function json(schema: object) {
  return { 'application/json': { schema } };
}
