/** A value that JSON can hold, as the document is made of. */
import { z } from 'zod';

export type Json =
  string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** What JSON keeps of a value: undefined fields are gone. */
export function toJson(value: object): Json {
  return z.json().parse(JSON.parse(JSON.stringify(value)));
}
