// What a partner would write by hand: the floor. CommonJS, so that programs of both formats load it.

'use strict';

const { createHash, createHmac, randomUUID } = require('node:crypto');

const emptySha256 = createHash('sha256').digest('hex');

exports.signByHand = function signByHand({ method, path, query = '', body = '', keyId, secret }) {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const nonce = randomUUID();
  // The fastest that a partner would write: no hash of a body that is empty.
  const bodyHash = body === '' ? emptySha256 : createHash('sha256').update(body).digest('hex');
  const canonical = [method, path, query, timestamp, nonce, bodyHash].join('\n');
  const signature = createHmac('sha256', secret).update(canonical).digest('hex');
  return {
    'X-Market-Key-Id': keyId,
    'X-Market-Timestamp': timestamp,
    'X-Market-Nonce': nonce,
    'X-Market-Signature': `v1=${signature}`,
  };
};
