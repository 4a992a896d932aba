/** The keepers of mailboxes, by the recipient's domain. A line for each provider; order does not matter. */
const table: ReadonlyArray<readonly [id: string, name: string, domains: string]> = [
  ['google', 'Google', 'gmail.com googlemail.com google.com'],
  [
    'microsoft',
    'Microsoft',
    'outlook.com hotmail.com live.com msn.com passport.com windowslive.com outlook.de outlook.fr outlook.es outlook.it outlook.at outlook.be outlook.dk outlook.ie outlook.pt outlook.sa outlook.cl outlook.co.id outlook.co.th outlook.com.ar outlook.com.au outlook.com.br outlook.com.gr outlook.com.tr outlook.com.vn outlook.cz outlook.hu outlook.in outlook.jp outlook.kr outlook.lv outlook.my outlook.ph outlook.sg outlook.sk hotmail.de hotmail.fr hotmail.es hotmail.it hotmail.be hotmail.nl hotmail.se hotmail.no hotmail.dk hotmail.fi hotmail.ca hotmail.gr hotmail.ch hotmail.co.uk hotmail.co.jp hotmail.co.id hotmail.co.th hotmail.com.ar hotmail.com.au hotmail.com.br hotmail.com.mx hotmail.com.tr live.de live.fr live.it live.be live.nl live.se live.no live.dk live.fi live.ca live.at live.cn live.ie live.jp live.ru live.co.uk live.co.za live.com.ar live.com.au live.com.mx live.com.pt live.com.sg',
  ],
  [
    'yahoo',
    'Yahoo',
    'yahoo.com ymail.com rocketmail.com myyahoo.com aol.com aim.com verizon.net netscape.net yahoo.de yahoo.fr yahoo.es yahoo.it yahoo.at yahoo.be yahoo.ca yahoo.cl yahoo.dk yahoo.fi yahoo.gr yahoo.ie yahoo.in yahoo.nl yahoo.no yahoo.pl yahoo.pt yahoo.ro yahoo.se yahoo.co.id yahoo.co.in yahoo.co.nz yahoo.co.th yahoo.co.uk yahoo.co.za yahoo.com.ar yahoo.com.au yahoo.com.br yahoo.com.co yahoo.com.hk yahoo.com.mx yahoo.com.my yahoo.com.pe yahoo.com.ph yahoo.com.sg yahoo.com.tr yahoo.com.tw yahoo.com.ve yahoo.com.vn aol.de aol.fr aol.it aol.co.uk aol.com.au',
  ],
  ['yahoo-japan', 'Yahoo Japan', 'yahoo.co.jp ybb.ne.jp'],
  ['apple', 'Apple', 'icloud.com me.com mac.com privaterelay.appleid.com'],
  [
    'gmx-webde',
    'GMX and Web.de',
    'gmx.de gmx.net gmx.at gmx.ch gmx.com gmx.org gmx.eu gmx.info gmx.biz gmx.fr gmx.es gmx.us gmx.co.uk web.de email.de',
  ],
  ['mail-com', 'mail.com', 'mail.com email.com usa.com myself.com consultant.com europe.com'],
  ['t-online', 'Telekom', 't-online.de magenta.de'],
  ['freenet', 'freenet', 'freenet.de'],
  ['posteo', 'Posteo', 'posteo.de posteo.net posteo.org posteo.at posteo.ch posteo.eu'],
  ['mailbox-org', 'mailbox.org', 'mailbox.org'],
  ['bluewin', 'Swisscom', 'bluewin.ch bluemail.ch'],
  ['a1', 'A1', 'aon.at a1.net'],
  ['orange', 'Orange', 'orange.fr wanadoo.fr'],
  ['free-fr', 'Free', 'free.fr'],
  ['sfr', 'SFR', 'sfr.fr neuf.fr cegetel.net club-internet.fr 9online.fr'],
  ['laposte', 'La Poste', 'laposte.net'],
  ['bouygues', 'Bouygues', 'bbox.fr'],
  ['libero', 'Libero', 'libero.it virgilio.it iol.it inwind.it'],
  ['tim', 'TIM', 'tim.it alice.it tin.it'],
  ['telenet', 'Telenet', 'telenet.be'],
  ['proximus', 'Proximus', 'proximus.be skynet.be'],
  ['ziggo', 'Ziggo', 'ziggo.nl home.nl upcmail.nl chello.nl quicknet.nl'],
  ['kpn', 'KPN', 'kpnmail.nl kpnplanet.nl planet.nl hetnet.nl xs4all.nl'],
  ['bt', 'BT', 'btinternet.com btopenworld.com'],
  ['sky', 'Sky', 'sky.com'],
  ['virgin-media', 'Virgin Media', 'virginmedia.com ntlworld.com blueyonder.co.uk'],
  ['wp', 'WP', 'wp.pl o2.pl'],
  ['onet', 'Onet', 'onet.pl op.pl poczta.onet.pl onet.eu vp.pl'],
  ['interia', 'Interia', 'interia.pl interia.eu poczta.fm'],
  ['seznam', 'Seznam', 'seznam.cz email.cz post.cz'],
  ['mail-ru', 'Mail.ru', 'mail.ru inbox.ru list.ru bk.ru internet.ru'],
  ['yandex', 'Yandex', 'yandex.ru yandex.com ya.ru yandex.by yandex.kz yandex.ua'],
  ['ukr-net', 'Ukr.net', 'ukr.net'],
  ['comcast', 'Comcast', 'comcast.net'],
  ['att', 'AT&T', 'att.net sbcglobal.net bellsouth.net pacbell.net ameritech.net swbell.net'],
  ['charter', 'Charter', 'charter.net spectrum.net roadrunner.com rr.com'],
  ['cox', 'Cox', 'cox.net'],
  ['bell', 'Bell', 'bell.net sympatico.ca'],
  ['rogers', 'Rogers', 'rogers.com'],
  ['shaw', 'Shaw', 'shaw.ca'],
  ['telstra', 'Telstra', 'bigpond.com bigpond.net.au telstra.com'],
  ['uol', 'UOL', 'uol.com.br bol.com.br'],
  ['terra', 'Terra', 'terra.com.br'],
  ['qq', 'QQ', 'qq.com foxmail.com vip.qq.com'],
  ['netease', 'NetEase', '163.com 126.com yeah.net'],
  ['naver', 'Naver', 'naver.com'],
  ['docomo', 'NTT Docomo', 'docomo.ne.jp'],
  ['au', 'au', 'ezweb.ne.jp au.com'],
  ['softbank', 'SoftBank', 'softbank.ne.jp i.softbank.jp'],
  ['rediffmail', 'Rediffmail', 'rediffmail.com'],
  ['zoho', 'Zoho', 'zoho.com zohomail.com zoho.eu zohomail.eu'],
  ['proton', 'Proton', 'proton.me protonmail.com pm.me protonmail.ch'],
  ['fastmail', 'Fastmail', 'fastmail.com fastmail.fm'],
];

/** Domains that the table does not name, companies with a provider's mailboxes under a domain of their own among them. */
const OTHER_PROVIDER = 'other';

const idByDomain = new Map(table.flatMap(([id, , domains]) => domains.split(' ').map((domain) => [domain, id])));
const nameById = new Map([...table.map(([id, name]) => [id, name] as const), [OTHER_PROVIDER, 'Other']]);

export const PROVIDER_IDS: readonly string[] = [...nameById.keys()];

export function providerOf(email: string): string {
  return idByDomain.get(email.slice(email.lastIndexOf('@') + 1)) ?? OTHER_PROVIDER;
}

export function providerName(id: string): string {
  return nameById.get(id) ?? id;
}
