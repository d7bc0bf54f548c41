// The types of what the till generates from its table of card networks and serves as /card-networks.js.

export interface Network {
  brand: string;
  name: string;
  /** How many digits its numbers have, rising. */
  lengths: number[];
  /** How many digits each printed group has; empty for groups of four. */
  printedGroups: number[];
  codeName: string;
  codeLength: number;
  /** Numbers whose check digit does not fit exist. */
  toleratesWrongCheckDigit: boolean;
  /** First and last prefix of each range, of the same length; empty for a network without numbers of its own. */
  ranges: [string, string][];
}

/** In the order that settles ties. */
export const NETWORKS: Network[];
