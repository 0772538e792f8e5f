/** What a provider calls the claims of its tokens. */

/** What the provider calls the claims. */
export interface ClaimNames {
  readonly tenant: string;
  readonly scope: string;
  readonly actor: string;
  readonly session: string;
}

export const DEFAULT_CLAIM_NAMES: ClaimNames = {
  tenant: 'tenant',
  scope: 'scope',
  actor: 'actor',
  session: 'session',
};
