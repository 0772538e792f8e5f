/** A value that JSON can hold, as the document is made of. */
export type Json =
  string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** What JSON keeps of a value: undefined fields are gone. */
export function toJson(value: unknown): Json {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'boolean':
      return value;
    case 'object':
      if (value === null) return null;
      if (Array.isArray(value)) return value.map(toJson);
      return Object.fromEntries(
        Object.entries(value)
          .filter(([, field]) => field !== undefined)
          .map(([key, field]) => [key, toJson(field)]),
      );
    default:
      throw new TypeError(`JSON has no ${typeof value}`);
  }
}
