/** docker-compose.yml says what the documentation promises of it. No Docker is needed. */
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import { readConfig } from '../../src/server/config.js';

const compose = z.strictObject({
  services: z.strictObject({
    eventstore: z.strictObject({
      image: z.string(),
      environment: z.record(z.string(), z.string()),
      ports: z.array(z.string()),
      volumes: z.array(z.string()),
      healthcheck: z.looseObject({ test: z.string(), retries: z.number() }),
    }),
  }),
  volumes: z.record(z.string(), z.null()),
});

it('runs one pinned node on the loopback interface, with its data kept', async () => {
  const source = await readFile('docker-compose.yml', 'utf8');
  const { services, volumes } = compose.parse(parse(source));
  const { image, ports, volumes: mounts, healthcheck } = services.eventstore;
  expect(image).toMatch(/:\d+\.\d+$/);
  expect(ports).toEqual(['127.0.0.1:2113:2113']);
  expect(mounts.map((mount) => mount.split(':')[0])).toEqual(Object.keys(volumes));
  expect(healthcheck.test).toContain('/health/live');
});

it('says an address that the server takes', async () => {
  const source = await readFile('docker-compose.yml', 'utf8');
  const url = /EVENTSTORE_URL='([^']+)'/.exec(source)?.[1] ?? '';
  expect(readConfig({ EVENTSTORE_URL: url }).eventStore?.url).toBe(url);
});
