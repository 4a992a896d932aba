/** Says so where a script runs. */
export const RAN = 'a payload ran';
const call = `console.log('${RAN}')`;

/** HTML that would run a script in a page that shows it without care. */
export const payloads: readonly string[] = [
  `<script>${call}</script>`,
  `"><script>${call}</script>`,
  `'><script>${call}</script>`,
  `</title></style></textarea><script>${call}</script>`,
  `<img src=x onerror="${call}">`,
  `" onmouseover="${call}" autofocus onfocus="${call}" x="`,
  `' onfocus='${call.replaceAll("'", '`')}' autofocus x='`,
  `<svg onload="${call}">`,
  `<svg><script>${call}</script></svg>`,
  `<body onload="${call}">`,
  `<iframe srcdoc="<script>${call.replaceAll("'", '&apos;')}</script>"></iframe>`,
  `<iframe src="javascript:${call}"></iframe>`,
  `<a href="javascript:${call}" id=x>x</a>`,
  `javascript:${call}`,
  `jav&#x09;ascript:${call}`,
  ` \u0001javascript:${call}`,
  `data:text/html,<script>${call}</script>`,
  `<object data="data:text/html,<script>${call}</script>"></object>`,
  `<meta http-equiv="refresh" content="0;url=javascript:${call}">`,
  `<details open ontoggle="${call}"><summary>x</summary></details>`,
  `<base href="https://evil.test/"><link rel="stylesheet" href="//evil.test/x.css"><form action="javascript:${call}"><input autofocus onfocus="${call}">`,
  `<!--><img src=x onerror="${call}">-->`,
  `<math><mtext></form><form><mglyph><style></math><img src onerror="${call}">`,
];
