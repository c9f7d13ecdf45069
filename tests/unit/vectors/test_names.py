"""Which mentions mean which names: inflection, diacritics, typos, and names that only look alike."""

import pytest

from pausepoint.vectors.text import SAME, fold, name_similarity, stem, tokens

SAME_NAME = """
Adama = Adam
Adamowi = Adam
Adamem = Adam
Adamie = Adam
ADAM = Adam
Adam's = Adam
Krystynie = Krystyna
Krystynę = Krystyna
Krystyną = Krystyna
Krystyny = Krystyna
Krystyno = Krystyna
Wrocławiu = Wrocław
Wrocławia = Wrocław
Wrocławiem = Wrocław
wroclaw = Wrocław
Bartku = Bartek
Bartka = Bartek
Bartkowi = Bartek
Bartkiem = Bartek
Marku = Marek
Marka = Marek
Markowi = Marek
Oldze = Olga
Olgi = Olga
Olgą = Olga
Pradze = Praga
Pragi = Praga
Krakowie = Kraków
Krakowa = Kraków
krakow = Kraków
Krakowem = Kraków
Gdańsku = Gdańsk
Łodzi = Łódź
lodz = Łódź
Poznaniu = Poznań
Warszawie = Warszawa
Opolu = Opole
Rzeszowie = Rzeszów
Zolw = Żółw
Żółwia = Żółw
Pawła = Paweł
Pawle = Paweł
Pawłem = Paweł
Piotrze = Piotr
Piotra = Piotr
Aleksandrze = Aleksander
Aleksandrowi = Aleksander
Marcie = Marta
Martę = Marta
Magdzie = Magda
Wandzie = Wanda
Annie = Anna
Ance = Anka
Ewie = Ewa
Marii = Maria
Marię = Maria
Zofii = Zofia
Zosi = Zosia
Kasię = Kasia
Andrzeja = Andrzej
Andrzejowi = Andrzej
Macieja = Maciej
Maciejem = Maciej
Michale = Michał
Tomasza = Tomasz
Joachima = Joachim
Marcinem = Marcin
Auguście = August
Jadwidze = Jadwiga
Janowi = Jan
Janem = Jan
Kowalskiego = Kowalski
Kowalskiemu = Kowalski
Kowalskim = Kowalski
Kowalskiej = Kowalska
Nowaka = Nowak
Nowakowi = Nowak
księcia = Książę
ojcem = ojciec
rycerza = rycerz
rycerzami = rycerze
rzece = rzeka
krawca = krawiec
Niemca = Niemiec
Thomasa = Thomas
Dereka = Derek
wolves = wolf
ships = ship
villages = village
stories = story
houses = house
Adamowi Nowakowi = Adam Nowak
Nowak Adam = Adam Nowak
Adama = Adam Nowak
Nowakiem = Adam Nowak
Czarnej Wieży = Czarna Wieża
Czarnej Wiezy = Czarna Wieża
Złotym Lwem = Złoty Lew
Karczmie pod Złotym Lwem = Karczma pod Złotym Lwem
Zlotylew = Zloty Lew
the Golden Lion = Golden Lion
Golden Lion = The Golden Lion Inn
Captain Harrow's = Captain Harrow
Jean-Luc = Jean Luc
O’Brien = O'Brien
Krystnya = Krystyna
Krysytnie = Krystyna
Wroclwa = Wrocław
Katrazyna = Katarzyna
Katazyna = Katarzyna
Kowlaski = Kowalski
Kowaslkiego = Kowalski
Adma = Adam
Margret = Margaret
Harow = Harrow
Elizabteh = Elizabeth
Elizbaeth Harow = Elizabeth Harrow
Aleksnader = Aleksander
Constantinopel = Constantinople
"""

OTHER_NAME = """
Jan = Janina
Janina = Jan
Janusz = Jan
Adam = Adela
Adam = Adrian
Adela = Adam
Marek = Marcin
Marcin = Marek
Marek = Marian
Marta = Marek
Marta = Maria
Anna = Hanna
Anna = Joanna
Hania = Ania
Ewa = Ela
Ola = Ala
Kasia = Basia
Kasia = Asia
Zofia = Zosia
Maria = Daria
Marian = Marianna
Karol = Karolina
Julian = Julia
Piotr = Patryk
Paweł = Pawlak
Nowak = Nowacki
Kowalski = Kowalczyk
Kowal = Kowalski
Wiśniewski = Wiśnicki
Bartek = Bartosz
Wojtek = Wojsław
Helena = Elena
Krystyna = Kryspin
Warszawa = Warka
Praga = Prawda
Olga = Olaf
Łódź = Lód
John = Joan
Jon = Ron
Mary = Mark
Tom = Tim
Harry = Barry
Harrow = Barrow
Ann = Dan
Emma = Emily
Adam Nowak = Adam Kowalski
Jan Nowak = Anna Nowak
Captain Harrow = Captain Morrow
Golden Lion = Golden Stag
Czarna Wieża = Biała Wieża
the = The Golden Lion
pod = Karczma pod Złotym Lwem
7 = 17
Brama 3 = Brama 4
"" = Adam
Adam = ""
??? = Adam
"""


def pairs(table: str) -> list[tuple[str, str]]:
    split = (line.split(" = ") for line in table.strip().splitlines())
    return [(mention.strip('"'), name.strip('"')) for mention, name in split]


@pytest.mark.parametrize(("mention", "name"), pairs(SAME_NAME))
def test_a_form_or_typo_of_a_name_means_it(mention, name):
    assert SAME <= name_similarity(mention, name) <= 1.0


@pytest.mark.parametrize(("mention", "name"), pairs(OTHER_NAME))
def test_another_name_is_not_meant(mention, name):
    assert 0.0 <= name_similarity(mention, name) < SAME


@pytest.mark.parametrize(
    ("mention", "closer", "farther"),
    [
        ("Adam", "Adam", "Adam Nowak"),
        ("Adam Nowak", "Adam Nowak", "Adama Nowak Kowalska"),
        ("Adama", "Adam", "Adamski"),
        ("Maria", "Maria", "Marian"),
        ("Wieża", "Wieża", "Czarna Wieża"),
        ("Krystnya", "Krystyna", "Krystian"),
    ],
)
def test_the_better_match_scores_higher(mention, closer, farther):
    assert name_similarity(mention, closer) > name_similarity(mention, farther)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Żółw", "zolw"),
        ("ŁÓDŹ", "lodz"),
        ("Straße", "strasse"),
        ("Ærø", "aero"),
        ("ﬁre", "fire"),
        ("Ａdam", "adam"),
        ("İzmir", "izmir"),
        ("", ""),
        ("żółw", "zolw"),
    ],
)
def test_fold(text, folded):
    assert fold(text) == folded


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Adam's ship, O’Brien's!", ["adam", "ship", "obrien"]),
        ("Jean-Luc 1999", ["jean", "luc", "1999"]),
        ("¿Quién?", ["quien"]),
        ("__a__b__", ["a", "b"]),
        ("🐢 \0 '", []),
    ],
)
def test_tokens(text, words):
    assert tokens(text) == words


@pytest.mark.parametrize(
    "word", ["", "a", "ą", "42", "x9", "🐢", "a" * 10_000, "\ud800", "rz", "dz", "ies", "iego"]
)
def test_stem_takes_any_word_and_never_empties_one(word):
    assert bool(stem(word)) == bool(word)


def test_one_long_mention_is_cheap():
    assert name_similarity("a" * 50_000, "b" * 50_000) < SAME
    assert name_similarity("x " * 500, "Adam Nowak") < SAME
