// Question: what does a signature cost? One POST with a body of 200 bytes.

import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
import { signRequest } from 'market-partner-sdk';
import { signByHand } from './by-hand.mjs';
import { alternate } from './rounds.mjs';
import { table, times, whole } from './table.mjs';

export async function signing() {
  const keyId = 'mk_test_bench';
  const secret = 'bench-secret-of-some-length';
  const path = '/api/partner/v1/orders';
  const body = JSON.stringify({ domain: 'brew.example', note: 'x'.repeat(165) });
  if (body.length !== 200) throw new Error(`the body has ${body.length} bytes`);
  const smithy = new SignatureV4({
    service: 'market',
    region: 'eu',
    sha256: Sha256,
    credentials: { accessKeyId: keyId, secretAccessKey: secret },
  });

  const contenders = {
    'market-partner-sdk': (count) => {
      for (let n = 0; n < count; n += 1) signRequest({ method: 'POST', path, body, keyId, secret });
    },
    'bare createHash + createHmac': (count) => {
      for (let n = 0; n < count; n += 1) signByHand({ method: 'POST', path, body, keyId, secret });
    },
    '@smithy/signature-v4': async (count) => {
      for (let n = 0; n < count; n += 1) {
        await smithy.sign({
          method: 'POST',
          protocol: 'https:',
          hostname: 'market.example',
          path,
          headers: { host: 'market.example' },
          body,
        });
      }
    },
  };
  const rows = await alternate(contenders, { count: 4_000, rounds: 15 });
  table(
    'signing one POST with a body of 200 bytes',
    ['contender', 'us each', 'ours to theirs'],
    rows.map((row) => [row.name, (1e6 / row.perSecond).toFixed(1), times(row.ratio)]),
  );
}
