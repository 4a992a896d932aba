/** A behaviour of people with the mail of a campaign, as far as a filter can ask for it, and how their segment is called. */
const asked = {
  delivered: { name: 'Got', received: 'at_least' },
  opened: { name: 'Opened', opened: 'at_least' },
  humanOpened: { name: 'Opened by a person', humanOpened: 'at_least' },
  clicked: { name: 'Clicked in', clicked: 'at_least' },
  notOpened: { name: 'Did not open', received: 'at_least', opened: 'never' },
  notClicked: { name: 'Did not click in', received: 'at_least', clicked: 'never' },
} as const;

export type Asked = keyof typeof asked;

/** A segment that is not saved yet. */
export interface Beginning {
  name: string;
  filterCriteria: { logicalOperator: 'AND'; groups: readonly object[] };
}

const NAME_MAX = 200;

export function isAsked(did: string | null | undefined): did is Asked {
  return did != null && Object.hasOwn(asked, did);
}

export function beginningOf({ id, name }: { id: string; name: string }, did: Asked): Beginning {
  const { name: words, ...behaviours } = asked[did];
  const groups = Object.entries(behaviours).map(([behaviour, operator]) => ({
    ...{ behaviour, operator, campaignId: id },
    ...(operator === 'at_least' && { count: 1 }),
  }));
  return {
    name: `${words} ${name}`.slice(0, NAME_MAX).trim(),
    filterCriteria: { logicalOperator: 'AND', groups },
  };
}
