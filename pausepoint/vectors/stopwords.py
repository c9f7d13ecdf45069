"""Function and question words of Polish, English, German and Spanish, folded: they say nothing about what is sought."""

_WORDS = """
a aby albo ale bo by byc byl byla bylo byly chce chodzi co cos czego czemu czy czyj czyja czyje czym dla dlaczego do
dokad gdy gdzie gdzies go i ich ile im inny ja jak jaka jaki jakich jakie jakiego jakiej jakim jako je jego jej jemu
jest jestem jesli kiedy kim kogo komu kto ktora ktorej ktore ktorego ktorych ktory ktorym ktorzy ktos lub ma maja mi
mial miala mnie moge moze mozesz na nad nam nami nas nich nie nim no o od on ona one oni ono opisz opowiedz oraz
po pod podaj pokaz poniewaz powiedz prosze przed przez przy sa sie skad swoj swoja swoje ta tak tam te tego tej temu
ten to tu ty tych tym u w wciaz we wie wiadomo wiemy wszystko wszystkie z za zas ze zostal zostala
about all an and any are as at be been but by can could did do does explain for from give had has have he her him his
how i in into is it its know list me my of on or our she should show so some tell than that the their them then there
they this those to us was we were what when where which who whom whose why will with would you your
aber als am an auf aus bei bin bist das dass dem den der des die ein eine einem einen einer er es fur hat hatte ich ihm
ihn ihr ist kann mit nach nicht noch oder sie sind uber um und uns von vor war waren warum was wann wem wen wer wie wir
wird wo zu zum zur welche welcher
al como con cual cuales cuando de del donde el ella ellos en entre era eran ese esta este ha hay la las le lo los mas
no nos para pero por porque que quien quienes se ser si sin sobre son su sus un una y ya
"""
STOPWORDS = frozenset(_WORDS.split())
