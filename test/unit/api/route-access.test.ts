/** Every route says what it asks of its caller, and commands say that they are some. */
import { METHOD_METADATA } from '@nestjs/common/constants.js';
import { API_CONTROLLERS } from '../../../src/api/api.module.js';
import { ROUTE_ACCESS } from '../../../src/api/request/route-access.js';

interface Route {
  readonly name: string;
  readonly access: unknown;
}

const routes: Route[] = API_CONTROLLERS.flatMap((controller) =>
  Object.entries(Object.getOwnPropertyDescriptors(controller.prototype)).flatMap(
    ([name, { value }]: [string, PropertyDescriptor]) => {
      const handler: unknown = value;
      if (typeof handler !== 'function' || !Reflect.hasMetadata(METHOD_METADATA, handler)) {
        return [];
      }
      const access: unknown = Reflect.getMetadata(ROUTE_ACCESS, handler);
      return [{ name: `${controller.name}.${name}`, access }];
    },
  ),
);

it('is declared by every route', () => {
  expect(routes.length).toBeGreaterThanOrEqual(9);
  expect(routes.filter((route) => route.access === undefined)).toEqual([]);
});

it.each([
  ['TurnsController.start', 'todos:write'],
  ['TurnsController.end', 'todos:write'],
  ['TodosController.write', 'todos:write'],
  ['TodosController.read', 'todos:read'],
  ['TodoEventsController.follow', 'todos:read'],
  ['SessionsController.fork', 'todos:write'],
  ['SessionsController.delete', 'sessions:delete'],
  ['ProjectionsController.list', 'admin'],
  ['ProjectionsController.pause', 'admin'],
  ['ProjectionsController.resume', 'admin'],
  ['ParkedController.list', 'admin'],
  ['ParkedController.retry', 'admin'],
  ['ParkedController.discard', 'admin'],
  ['HealthController.live', 'open'],
  ['HealthController.ready', 'open'],
])('%s needs %s', (name, access) => {
  expect(routes.find((route) => route.name === name)?.access).toBe(access);
});
