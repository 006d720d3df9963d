/** Webhooks on AWS Lambda, behind API Gateway, a function URL or a load balancer. */

import { marketWebhooks } from './market-webhooks.js';

export const handler = marketWebhooks.lambda;
