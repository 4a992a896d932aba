/** Runs before the page is drawn, so that nothing flashes in the other theme. */
const chosen = localStorage.getItem('everpost-theme');
if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
