import { place, setQuery } from '../../router.ts';
import { Button } from '../forms/button.tsx';
import { count } from './format.ts';

export interface Pagination {
  page: number;
  limit: number;
  total: number;
  pages: number;
}

/** Which part of the list this is, and the next. Without `onPage` the page is in the address: `?page=2`. */
export function Pager({
  pagination: { page, limit, total, pages },
  isListing,
  onPage = (next) => setQuery({ page: next === 1 ? null : next }, { push: true }),
}: {
  pagination: Pagination;
  isListing?: boolean;
  onPage?: (page: number) => void;
}) {
  if (total === 0) return null;
  const first = (page - 1) * limit + 1;
  const last = Math.min(page * limit, total);
  return (
    <div class={isListing ? 'pager flushed' : 'pager'}>
      <span>
        {first > total ? `Nothing here of ${count(total)}` : `${count(first)} to ${count(last)} of ${count(total)}`}
      </span>
      <span class="row">
        <Button isSmall why={page <= 1 && 'This is the first page.'} onClick={() => onPage(page - 1)}>
          Previous
        </Button>
        <Button isSmall why={page >= pages && 'This is the last page.'} onClick={() => onPage(page + 1)}>
          Next
        </Button>
      </span>
    </div>
  );
}

/** Of the address, from 1. */
export function currentPage(name = 'page'): number {
  const page = Number(place.value.query.get(name));
  return Number.isSafeInteger(page) && page > 0 ? page : 1;
}
