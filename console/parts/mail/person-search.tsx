import type { Signal } from '@preact/signals';
import { SearchBox } from '../forms/search-box.tsx';

/** The address of the person with whose data a preview is filled in; '' for none. */
export function PersonSearch({ person }: { person: Signal<string> }) {
  return (
    <div class="row wrap">
      <SearchBox
        label="Shown with the data of"
        placeholder="Address of a person, or nobody"
        value={person.value}
        onSearch={(text) => {
          person.value = text;
        }}
      />
    </div>
  );
}
