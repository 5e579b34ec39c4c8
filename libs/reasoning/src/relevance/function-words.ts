/**
 * Function words of languages in Latin script, by language, without those that are English words, too: two points each
 * for `looksForeign`. Question words are among them, because queries are often questions.
 */
const CLEAR = `
  aber auch auf dass denn diese dieser dieses doch durch ein eine einem einen einer eines für gegen gibt haben hatte ich
  ihr ihre ist jede jeder kann kein keine können lautet mehr nach nicht noch oder ohne sein seine seit sich sie sind über
  und uns unser unsere unter viel viele vom vor wann warum welche welchem welchen welcher welches wenn wer werden wie
  wieviel wir wird wo wofür woher wohin womit wurde wurden zu zum zur zwischen

  avec cette combien dans depuis est être leur leurs mais même nous où pendant pourquoi quand que quel quelle quelles
  quels quoi sont très une vos votre vous

  como cuál cuáles cuándo cuántas cuánto cuántos cómo desde después dónde ellos está están fue fueron hasta más muy
  nosotros nuestra nuestro pero porque qué quién quiénes según sobre también tiene

  che così dagli dalla dalle degli della delle dello dopo dove essere furono hanno nella nelle nello nostro ogni perché
  più quale quali quando quanti quanto questa questo stata stato sulla suo è

  aos até foram há isso não nossa nosso onde pela pelo quais qual quantos quem são tem você às

  aan deze een geen gehad haar heb hebben heeft het hoeveel ik kunnen maar mijn naar niet onder onze ook uit veel voor
  waar waarom wanneer wat welk welke werd werden wij worden wordt zich zij zijn zonder

  blev där efter eller ett från för har hur hvad hvem hvilken hvor hvordan hvorfor ikke inte jeg kunne mellan mellem någon
  noget nogen når och på skal så vem vilka vilken vilket være været är över

  być był była były czym gdzie jaka jaki jakie jakiego jakim jego jej kiedy która które którego który którym przez przy
  się są także tego tej wśród że

  aby byl byla bylo byly jaká jaké jaký jeho jejich jsem jsme jsou kde kdo kdy kolik která které který mezi nebo není
  proč při

  bir daha değil gibi hangi için kadar kaç mı mü nasıl neden nedir nerede olan olarak oldu olduğu sonra veya çok

  cine când cât fost pentru prin sunt și să unde unei unui

  ei joka jossa kuin kuka miksi mikä milloin missä mitä myös olivat ovat että

  és hogy mennyi mikor milyen vagy

  adalah bagaimana dengan kapan siapa tidak untuk yang
`;

/** One point each: also names, abbreviations or rare words of English texts (Rio de Janeiro, MIT, ALS, a pod). */
const UNCERTAIN = `
  als aus bei bis das dem den der des die im mit
  au aux ce ces de du en entre il je la le les ne nos notre par qui sans ses sur un
  al con del el ella esta este hay las lo los por su sus una uno y
  chi con cosa cui da dei del di gli il lo nel non si sono sul tra
  ao com da dos ela ele em foi na nas nem os ou seu um uma
  dat dit er hoe kan met nog ons op te van wel
  att av ble den det kan mange med nej og som ska til till var ut
  ale bez co czy jak jest na nie od po pod z
  bu ile ne ve
  care cel cum la sau
  hol kik kun nem se
  apa dan dari di ini itu pada
`;

/** Zero points: function words of English and of another language. */
const SHARED = 'a all also am an as at do had has her i in me no on or over so us war was will';

export const FOREIGN_WORDS: ReadonlySet<string> = readWords(CLEAR);
export const UNCERTAIN_WORDS: ReadonlySet<string> = readWords(UNCERTAIN);
export const SHARED_WORDS: ReadonlySet<string> = readWords(SHARED);

function readWords(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}
