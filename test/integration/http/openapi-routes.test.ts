/** The routes of the server and those of the document are the same. */
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { RequestMethod } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { OPERATIONS } from '../../../src/api/openapi/operations/operations.js';
import { ROUTE_ACCESS } from '../../../src/api/request/route-access.js';
import { RunningServer } from './running-server.js';

let server: RunningServer;
beforeAll(async () => {
  server = await RunningServer.start();
});
afterAll(() => server.stop());

const documented = OPERATIONS.map(
  ({ method, path, access }) => `${method.toUpperCase()} ${path} for ${access}`,
).sort();

it('documents every route of every controller with its scope, and no other', () => {
  expect(registered()).toEqual(documented);
});

it('documents what the router itself knows: nothing was added beside the controllers', () => {
  const router = server.planlog.app.getHttpAdapter().getInstance();
  for (const { method, path } of OPERATIONS) {
    const url = path.replaceAll(/\{(\w+)\}/g, ':$1');
    expect([path, router.hasRoute({ method: method.toUpperCase(), url })]).toEqual([path, true]);
  }
  const methods = [...router.printRoutes().matchAll(/\(([A-Z, ]+)\)/g)]
    .flatMap(([, list = '']) => list.split(', '))
    // Each GET has one.
    .filter((method) => method !== 'HEAD');
  expect(methods.sort()).toEqual(OPERATIONS.map(({ method }) => method.toUpperCase()).sort());
});

/** As `METHOD /path/{parameter} for scope`. */
function registered(): string[] {
  const modules = [...server.planlog.app.get(ModulesContainer).values()];
  const controllers = modules.flatMap((module) => [...module.controllers.values()]);
  return controllers
    .flatMap(({ metatype }) => {
      if (typeof metatype !== 'function') return [];
      const prototype: unknown = metatype.prototype;
      return Object.values(Object.getOwnPropertyDescriptors(prototype)).flatMap(
        ({ value }: PropertyDescriptor) => routesOf(metatype, value),
      );
    })
    .sort();
}

function routesOf(controller: object, handler: unknown): string[] {
  if (typeof handler !== 'function' || !Reflect.hasMetadata(METHOD_METADATA, handler)) return [];
  const method: unknown = Reflect.getMetadata(METHOD_METADATA, handler);
  const name = typeof method === 'number' ? RequestMethod[method] : undefined;
  const parts = [controller, handler].flatMap((target) => {
    const path: unknown = Reflect.getMetadata(PATH_METADATA, target);
    return typeof path === 'string' ? path.split('/').filter((part) => part !== '') : [];
  });
  const path = parts.map((part) => part.replace(/^:(.*)$/, '{$1}'));
  const access: unknown = Reflect.getMetadata(ROUTE_ACCESS, handler);
  return [`${name ?? '?'} /${path.join('/')} for ${String(access)}`];
}
