// Who is measured at signing one POST with a body of 200 bytes.

import { signByHand } from '../by-hand.cjs';

const keyId = 'mk_test_bench';
const secret = 'bench-secret-of-some-length';
const path = '/api/partner/v1/orders';
const body = JSON.stringify({ domain: 'brew.example', note: 'x'.repeat(165) });
if (body.length !== 200) throw new Error(`the body has ${body.length} bytes`);

export const contenders = {
  'market-partner-sdk': async () => {
    const { signRequest } = await import('market-partner-sdk');
    return () => signRequest({ method: 'POST', path, body, keyId, secret });
  },
  'bare createHash + createHmac': () => () =>
    signByHand({ method: 'POST', path, body, keyId, secret }),
  '@smithy/signature-v4': async () => {
    // Node's own hashes, as the AWS SDK gives them to it.
    const { Hash } = await import('@smithy/hash-node');
    const { SignatureV4 } = await import('@smithy/signature-v4');
    const smithy = new SignatureV4({
      service: 'market',
      region: 'eu',
      sha256: Hash.bind(null, 'sha256'),
      credentials: { accessKeyId: keyId, secretAccessKey: secret },
    });
    return () =>
      smithy.sign({
        method: 'POST',
        protocol: 'https:',
        hostname: 'market.example',
        path,
        headers: { host: 'market.example' },
        body,
      });
  },
};

export const isRight = (signed) => /(?:v1|Signature)=[0-9a-f]{64}"/.test(JSON.stringify(signed));
