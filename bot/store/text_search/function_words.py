"""The words of a language that say nothing about what a text is about: they are neither indexed nor searched.

Each list is our own. A language without a list has only a stemmer. Words are folded: without accents, in small letters.
"""

ENGLISH = """
a about above after again against ain all am an and any are aren as at be because been before being below between both
but by can cannot cant could couldn couldnt d did didn didnt do does doesn doesnt doing don dont down during each few
for from further had hadn hadnt has hasn hasnt have haven havent having he her here hers herself him himself his how i
if im in into is isn isnt it its itself ive just let lets ll m ma me might more most must mustn my myself no nor not now
of off on once only or other ought our ours ourselves out over own re s same shall shan she should shouldn shouldnt so
some such t than that thats the their theirs them themselves then there theres these they theyre this those through to
too under until up us ve very was wasn wasnt we were weren werent what whats when where which while who whom whose why
will with won wont would wouldn wouldnt y yes you your youre yours yourself yourselves
"""

GERMAN = """
aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes auch auf aus bei beim bin
bis bist da dabei damit dann das dass dasselbe dazu dein deine deinem deinen deiner deines dem den denn der deren derer
des dessen dich die dies diese dieselbe diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer
eines einige einigem einigen einiger einiges er es etwas euch euer eure eurem euren eurer eures fur gegen gewesen hab
habe haben hat hatte hatten hattest hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer ihres im in indem ins
ist ja jede jedem jeden jeder jedes jene jenem jenen jener jenes jetzt kann kannst kein keine keinem keinen keiner
keines konnen konnte konnten machen man manche manchem manchen mancher manches mein meine meinem meinen meiner meines
mich mir mit muss musst musste nach nein nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner
seines seit selbst sich sie sind so solche solchem solchen solcher solches soll sollte sondern sonst uber um und uns
unser unsere unserem unseren unserer unseres unter viel vom von vor wahrend wann war waren warst warum was weg weil
welche welchem welchen welcher welches wem wen wenn wer werde werden wessen wie wieder will wir wird wirst wo wollen
wollte wurde wurden zu zum zur zwar zwischen
"""

FRENCH = """
a ai aie as au aux avait avec avez avons c ce ces cet cette d dans de des du elle elles en es est et etait ete etes eu
eux fait il ils j je l la le les leur leurs lui m ma mais me meme mes moi mon n ne nos notre nous on ont ou par pas pour
qu que quel quelle quels qui quoi quand s sa sans se ses si son sont sur t ta te tes toi ton tu un une vos votre vous y
"""

SPANISH = """
a al algo ante antes como con contra cual cuando de del desde donde durante e el ella ellas ellos en entre era es esa
ese eso esta estaba este esto ha han has hasta hay he la las le les lo los mas me mi mis mucho muy nada ni no nos o os
otro para pero por porque que quien se ser si sin sobre son su sus te tu tus un una uno unos y ya yo
"""

FUNCTION_WORDS = {
    language: frozenset(words.split())
    for language, words in {"english": ENGLISH, "german": GERMAN, "french": FRENCH, "spanish": SPANISH}.items()
}
