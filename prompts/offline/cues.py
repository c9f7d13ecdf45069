"""Words and phrases that tell what a question asks for, as patterns over folded text (lower case, no diacritics)."""

import re
from importlib.resources import files


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{p})" for p in patterns))


def _words(name: str) -> list[str]:
    return (files("prompts") / "data" / f"{name}.txt").read_text("utf-8").split()


CREATIVE = _any(
    r"^(prosze |mozesz |czy mozesz |hej |ej |a )*(napisz|wymysl|ulozz?|skomponuj|narysuj|wygeneruj|stworz|zaprojektuj|przetlumacz|zaspiewaj)\b",
    r"^(please |can you |could you |hey |now |ok |just )*(write|compose|draw|generate|invent|translate|sing|design|code|make up)\b(?! down)",
    r"\b(wiersz\w*|limeryk\w*|piosenk\w*|dowcip\w*|zart(y|u|em)?|poem\w*|limerick|haiku|joke\w*|essay|sonnet)\b",
)
WORLD = _any(
    r"\bpogod\w* (jest|bedzie|dzis\w*|jutro|w \w+$|na jutro)|\b(jaka|jak[ai]e?j?) (jest |bedzie )?(dzis|jutro|teraz)?\s?pogod\w*\b(?!.*\b(podczas|w czasie|wtedy)\b)",
    r"\bprognoz\w* pogody\b|\b(weather|forecast)\b.*\b(today|tomorrow|now|like|in)\b",
    r"\b(python\w*|javascript\w*|java|sql|html|css|excel\w*|linux\w*|windows\w*|skrypt\w*|kod(zie|u|em)? (w|do)|programow\w*|algorytm\w*|regex|docker|api)\b",
    r"\b(przepis\w* na|ugotowa\w*|upiec|recipe\w*|how (do|to|can) (i |you )?(cook|bake|make (a |an )?(cake|pizza|bread|soup|pasta|coffee|tea)))\b",
    r"\b(prezydent\w*|premier(em|a|owi)?|sejm\w*|wybor(y|ow|ach) (prezydenckie|parlamentarne)|president of|prime minister|election\w*|parliament|brexit|nato|unia europejska|european union)\b",
    r"\b(bitcoin\w*|krypto\w*|gield\w*|kurs (euro|dolara|franka)|stock (price|market)|exchange rate|crypto\w*|podatk\w* (vat|pit|cit)|vat|pit-?\d*)\b",
    r"\b(stolic\w* (polski|francji|niemiec|hiszpanii|wloch|europy|anglii|usa)|capital (city )?of (the )?(france|poland|germany|spain|italy|england|usa|australia|japan|china|\w+ia\b)\w*)",
    r"\b(mistrzostw\w* swiata|world cup|liga mistrzow|champions league|premier league|olympic\w*|olimpiad\w*|mecz\w*|football|nba|formula 1)\b",
    r"\b(netflix\w*|youtube\w*|facebook\w*|instagram\w*|google\w*|chatgpt|openai|iphone\w*|android\w*|gta|wiedzmin(a|ie|em)? 3|star wars|gwiezdn\w* wojn\w*|harry\w* potter\w*|wladc\w* pierscieni|lord of the rings)\b",
    r"\b(ile (to )?(jest|wynosi) \d+|\d+\s*[-+*/x^]\s*\d+|pierwiastek|square root|calka|integral of|rownani\w*|equation|liczb\w* pi\b)",
    r"\b(kim jestes|co potrafisz|jak masz na imie|who are you|what are you|what can you do|your name|jaki jestes model|are you an? (ai|bot|human))\b",
    r"\b(ignore (all |your |the )?(previous|prior|above)|zignoruj (wszystk\w* )?(poprzedni\w*|instrukcj\w*)|system prompt|prompt systemow\w*)\b",
    r"\b(lekarz\w* rodzinn\w*|bol(i|a) mnie|headache|symptoms)\b",
    r"\b(tell|give) me (a|another) (joke|riddle)\b|\bopowiedz (mi )?(kawal|zart|dowcip)\w*",
    r"\b(zarezerwuj\w*|zamow\w* (mi|nam|pizz\w*)|kup mi|order me|book (me )?a (flight|table|hotel)|set (a|an) (alarm|timer|reminder)|wyslij (mail|e-?mail|sms)\w*)\b",
    r"\b(dzisiaj|today'?s) (jest |is )?(dat|dzien|day|date)|\bktora (jest )?(teraz )?godzin\w*|what time is it|jaki mamy (dzis |dzien)",
    r"\b(w polsce|in poland|in france|in europe|united states|w europie|we francji|w usa)\b",
    r"\b(bitw\w* pod grunwaldem|wojn\w* swiatow\w*|world war|napoleon\w*|einstein\w*|szekspir\w*|shakespeare|mickiewicz\w*|newton\w*)\b",
)
RULES = _any(
    r"\b(k4|k6|k8|k10|k12|k20|k100|\d*d4|\d*d6|\d*d8|\d*d10|\d*d12|\d*d20|\d*d100|d&d|dnd|5e|pathfinder)\b",
    r"\b(rzut\w* (obronn\w*|na|kos\w*|atak\w*|kostk\w*)|koscmi|kostk(a|i|ami|e)|kosci(a|ami)? (do gry|szescienn\w*)|rzuca(c|m|sz|my)? )",
    r"\b(dice|roll(s|ed|ing)? (for|a|the|to|with)|saving throw\w*|initiative (roll|order)|armou?r class|hit points?|spell slots?|level up|levell?ing|proficien\w*|skill check\w*|ability scores?|critical hits?|long rest|short rest|advantage on|house rules?)\b",
    r"\b(zasad(y|ach|ami)? (gry|walki|magii|rzut\w*|tworzenia|systemu|rpg|inicjatyw\w*)|mechanik\w*|podrecznik\w* (gracza|mistrza)|klas\w* pancerza|punkt\w* (zycia|doswiadczenia|magii)|pd za|premi\w* z bieglosci|inicjatyw(e|a|y) (w walce|liczy|dziala|rzuca)|dlug\w* odpoczyn\w*|krotk\w* odpoczyn\w*|awans\w* na poziom|kolejn\w* poziom|trafieni\w* krytyczn\w*|tabel\w* obrazen|modyfikator\w*)\b",
    r"\b(rules?|mechanics?) (for|of|on|about)\b|\bhow (do|does) (the )?(rules?|combat|initiative|grappl\w*|spellcasting|levell?ing|magic missile|stealth|sneak attack)\b.* work|\bwhat (level|class) should\b",
    r"\b(kart\w* postaci|character sheet|build (postaci|for)|ktora klase|jaka klase)\b",
)

BETWEEN = _any(
    r"\b(miedzy|pomiedzy|between)\b",
    r"\b(co|cos|jak\w*|czy) .*\b(lacz\w*|powiazan\w*|zwiazan\w*|wspoln\w*)\b",
    r"\blaczy\b|\bmaja ze soba\b|\bma wspolnego\b|\bmaja wspolnego\b",
    r"\b(connect\w*|linked|related|tied|in common|each other|one another)\b",
    r"\b(siebie|soba) (nawzajem|wzajemnie)\b|\bznaja sie\b|\b(zna|znaja|lubi|kocha|nienawidzi|ufa) (sie|ze)\b",
    r"\b(stosun\w*|nastawi\w*|podejscie|uczuci\w*) .*\b(do|z|ze|wobec|wzgledem)\b",
    r"\brelationship (between|with|to)\b|\bhow do(es)? .* (feel|think) (about|of)\b|\bget along\b",
)
RELATIONS = _any(
    r"\brelacj\w*|\bpowiazani\w*|\bzwiazk\w*|\bkontakt\w*|\bznajomosc\w*|\bznajom\w*",
    r"\brelation\w*|\bconnections?\b|\bties\b|\blinks\b|\bacquaintances?\b|\bassociates?\b|\bcontacts\b",
)
KIN = _any(
    r"\b(wrog\w*|przeciwnik\w*|sojusznik\w*|przyjaci\w*|rywal\w*|rodzin\w*|brat\w*|siostr\w*|cork\w*|syn(a|em|owi|owie|ow|u)?|matk\w*|matce|ojc\w*|ojciec|maz|mez\w*|zon(a|y|e|ie)|kochan\w*|mistrz(a|em|owi)?|uczni\w*|uczen|uczennic\w*|dowod\w*|szef\w*|przelozon\w*|wlasciciel\w*|wspolni\w*|nastepc\w*|mentor\w*|krewn\w*|opiekun\w*|slug\w*)\b",
    r"\b(enem(y|ies)|all(y|ies)|friends?|rivals?|famil(y|ies)|brothers?|sisters?|daughters?|sons?|mothers?|fathers?|husbands?|wi(fe|ves)|lovers?|masters?|apprentices?|leaders?|boss(es)?|owners?|accomplices?|mentors?|successors?|siblings?|parents?|uncles?|aunts?|cousins?|servants?|employers?)\b",
)
WHO = _any(
    r"^(a |i |no |to |wiec |ale |and |so |but |ok |hej |hey )*((z|od|do|u|dla|przez|przeciw\w*|za|na|o) )?(kto|kogo|komu|kim|czyj\w*|who|whom|whose|who's|whos)\b",
    r"^(with|from|to|by|for|against) whom\b",
    r"^(ktor\w+|which) (\w+ )?(posta\w*|osob\w*|characters?|people|person|npcs?|one|guild\w*|gildi\w*|frakcj\w*|factions?)\b",
)
WHO_IS = _any(
    r"^(\w+ )?(kim|kto|czym) (to )?(tak wlasciwie )?(wlasciwie )?(jest|byl\w*|sa|byli)\b",
    r"^(a )?(kto|co) to (jest|byl\w*|sa|za|wlasciwie)?\b",
    r"^(who|what)( exactly)? ?('s|is|was|are|were|s)\b",
    r"^(who|what) the (hell|heck) (is|was)\b",
)
WHAT_HAPPENED = _any(
    r"\bco (\w+ ){0,3}(stal\w*|wydarzyl\w*|dzial\w*|zdarzyl\w*|zaszl\w*|przytrafil\w*)\b|\bwydarzyl\w* sie\b|\bdoszlo do\b",
    r"\b(what|whatever) (\w+ ){0,3}(happen\w*|occurr\w*|went (down|wrong|on)|took place|transpired|became of|befell)\b",
    r"\bhappen\w*\b|\bwent down\b|\bwent wrong\b",
    r"\bco (\w+ )?(ustalil\w*|odkryl\w*|znalezl\w*|uslysz\w*|zobacz\w*|zrobil\w*|robil\w*|powiedzial\w*|mowi\w*|obiecal\w*|przysiagl\w*|widzial\w*|napisal\w*)\b",
    r"\bwhat (did|does|do|had|have) (\w+ ){1,4}(do|say|see|find|learn|discover|hear|promise|tell|witness|swear|steal|write|hide|want|leave)\b",
    r"\b(przebieg\w*|przebiegal\w*|skonczyl\w* sie|zaczel\w* sie|rozpoczel\w* sie|zakonczyl\w*)\b",
)
WHY_HOW_WHEN = _any(
    r"\b(dlaczego|czemu|po co|z jakiego powodu|jaki byl powod|przez co|skad wiadomo|skad wzi\w*|skad sie)\b",
    r"\b(kiedy|jak dawno|o ktorej|ktorego dnia|jak dlugo|ile|ilu)\b",
    r"\bjak (\w+ ){0,3}(doszlo|udalo|zgin\w*|umar\w*|uciek\w*|wyglada\w*|dziala\w*|zdoby\w*|znalez\w*|dosta\w*|przebieg\w*|pokona\w*|otworz\w*|skonczy\w*|zabi\w*|trafi\w*|przezy\w*|rozwiaz\w*|dostac|dojsc)\b",
    r"\b(why|when|how (did|does|was|were|do|can|come|many|much|long|old)|how's|what (made|caused|led|triggered)|for what reason|reasons?)\b",
    r"\b(w jaki sposob|jakim cudem|na czym polega\w*)\b",
)
SESSION = _any(
    r"\b(sesj\w*|session\w*|notatk\w*|notes?|plotk\w*|rumou?rs?|kronik\w*|list(u|ach|em)?|letter\w*|dziennik\w*|diary|journal)\b",
    r"\bostatnio\b|\b(recently|lately)\b|\b(ostatni\w* (raz\w*|sesj\w*|przygod\w*)|last (time|session|night|week)|previously)\b",
    r"\b(swiadk\w*|zezna\w*|witness\w*|testimon\w*|relacj\w* (swiadk\w*|naoczn\w*))\b",
)
SUMMARY = _any(
    r"\b(podsumuj\w*|podsumowa\w*|streszcz\w*|stresc\w*|strescic|przeglad\w*|calosciow\w*|zbierz|zestaw\w*|przeanalizuj|analiz\w*)\b",
    r"\b(summar[iy]\w*|overview|recap|sum up|whole story|full (story|picture|account)|big picture|analy[sz]e|piece together|put together|walk (me|us) through)\b",
)
COMPARE = _any(
    r"\b(porown\w*|roznic\w*|rozni\w* sie|podobienstw\w*|kontra|versus|vs|obie wersje|dwie wersje|roznych wersj\w*|sprzeczn\w*|zestaw)\b",
    r"\b(compar\w*|differ\w*|contrast\w*|similarit\w*|both versions|two versions|contradict\w*|conflicting|versions of)\b",
)
EVERYTHING = _any(
    r"\b(wszystko|wszystkie informacje|wszystkim|caloksztalt|cala histori\w*|pelny obraz|szczegolowo|ze szczegolami)\b",
    r"\b(everything|all (we|you|i|there is to) know|all about|in detail|whole history|every detail)\b",
)
AND_ALSO = _any(
    r"\b(oraz|a takze|jak rowniez|i (jak\w*|co|kto|gdzie|kiedy|dlaczego|czym|jakie)|i ich|i jego|i jej)\b",
    r"\b(as well as|and (how|what|who|where|why|when|which)|along with|together with|and (its|his|her|their))\b",
    r"\b(skutk\w*|konsekwencj\w*|nastepstw\w*|consequences?|aftermath|fallout|outcomes?|implications?|impact)\b",
    r"\b(konflikt\w*|spor(u|y|em|ach)? |wojn\w*|intryg\w*|spis\w*k\w*|conflict\w*|feud\w*|conspirac\w*|plots?|intrigue\w*|rivalr\w*|power struggle)\b",
)
NOW = _any(
    r"\b(teraz|obecnie|aktualnie|w tej chwili|dzis|na dzien dzisiejszy|ostatecznie|w koncu)\b",
    r"\b(now|currently|at the moment|these days|nowadays|finally|end(ed)? up|at present)\b",
)
SEVERAL = _any(
    r"\b(obie|obaj|oboje|obu|obydw\w*|dwie|dwaj|dwoch|wszystki\w*|kazd\w*|porown\w*|rozni\w*|both|all|each|two|either|versus|vs|compar\w*|differ\w*)\b",
)
SOMEBODY = {
    "pl": _any(
        r"\b(on|ona|oni|one|jego|jej|ich|jemu|mu|nim|nia|niego|niej|nich|nimi|tamten|tamta|ten facet)\b",
        r"\b(to drugie|ten drugi|ta druga|tamto|to samo|ktory to|ktora to|tamta rzecz)\b",
    ),
    "en": _any(
        r"\b(he|she|they|him|her|his|hers|their|them|it)\b",
        r"\b(that one|which one|this one|that thing|the other one)\b",
    ),
}
"""Who or what was spoken of before."""
SUBGRAPH = _any(
    r"\b(siec|sieci|graf\w*|otoczeni\w*|kreg\w*|pajeczyn\w*|network|graph|web of|subgraph|circle|neighbou?rhood|map of)\b",
)
DETAILS = _any(
    r"\b(opis\w*|szczegol\w*|jak wyglada|describe|description|details? (of|about|on)|look like|looks like|appearance)\b",
)
ABOUT = _any(
    r"\b(opowiedz|powiedz|przypomnij|opisz|pokaz|co (\w+ )?wie(my|sz|cie|dzial\w*)|co wiadomo|informacj\w*|przedstaw|wymien|wypisz|podaj)\b",
    r"\brun ?down\b|\b(tell (me|us)|describe|show|what do (we|you|i) know|what's known|information|info|remind|list|give me|explain)\b",
)
PLACE_OR_OWNER = _any(
    r"\b(gdzie|dokad|skad|czyj\w*|do kogo nalez\w*|u kogo|kto ma|kto posiada|kto mieszka|mieszka\w*|nalezy do|posiada\w*)\b",
    r"\b(where|whose|belongs? to|owns?|lives?|located|carr(y|ies)|possess\w*|holds?|has got)\b",
)
CATEGORY = _any(
    r"\b(posta\w*|bohater\w*|npc\w*|lokacj\w*|miejsc\w*|przedmiot\w*|wydarzen\w*|artefakt\w*|frakcj\w*|gildi\w*|osob\w*|miast\w*|kampani\w*)\b",
    r"\b(characters?|hero(es)?|npcs?|locations?|places?|items?|events?|artifacts?|factions?|guilds?|people|persons?|cit(y|ies)|towns?|campaign)\b",
)

FUNCTION_WORDS = frozenset(_words("function_words"))
"""Words that name nothing, Polish and English, folded."""
GENERIC_WORDS = _any(
    r"^(relacj\w*|powiazani\w*|zwiazk\w*|relation\w*|connection\w*|laczy|posta\w*|bohater\w*|osob\w*|characters?|people|person|miejsc\w*|lokacj\w*|"
    r"places?|locations?|przedmiot\w*|items?|wydarzen\w*|events?|histori\w*|story|sytuacj\w*|situation|stalo|stala|wydarzyl\w*|zrobil\w*|zrobic|robi|robil\w*|"
    r"kampani\w*|campaign|gr(a|y|ze)|game|swiat\w*|world|ogoln\w*|general|facet\w*|gosc|goscia|koles\w*|guy|man|woman|dude|typ|typek|kobiet\w*|dziewczyn\w*|girl|ciekaw\w*|"
    r"interesting|mieszka\w*|lives?|nalez\w*|belongs?|posiada\w*|owns?|interesuj\w*|wazn\w*|important|nowe\w*|news?|pytani\w*|question|pomoz|pomoc|help|think|myslisz|sadzisz|chodzi|sprawdz|check|find|znajdz|szukaj|search)$"
)
CUE_WORDS = _words("cue_words")
"""Words the patterns above look for; one slip in them is corrected first."""
