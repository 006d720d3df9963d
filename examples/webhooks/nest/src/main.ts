import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { MarketWebhooksController } from './market-webhooks.controller';

@Module({ controllers: [MarketWebhooksController] })
class AppModule {}

async function main(): Promise<void> {
  // rawBody: true keeps the bytes of each request beside the body that Nest has parsed.
  const app = await NestFactory.create(AppModule, { rawBody: true });
  await app.listen(process.env.PORT ?? 3000, process.env.HOST ?? '127.0.0.1');
}

void main();
