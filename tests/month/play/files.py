"""Files that come: 17 to 32."""

from tests.month.places import Place
from tests.month.registry import situation
from tests.month.script import Rule, View
from tests.month.stage import Stage
from tests.stand_ins.discord import Upload
from tests.stand_ins.downloads import DownloadFault
from tests.stand_ins.telegram.media import contact, location, poll
from tests.support import sample_documents as sample
from tests.support.sample_media import pdf

PAGES = pdf(2)
ESSAY = sample.docx(sample.paragraph("The Weimar Republic", "Heading1") + sample.paragraph("It began in 1919."))


def names(*words: str) -> Rule:
    """Say which of these words the model is shown, in their order, and how many PDFs."""

    def rule(view: View) -> str:
        pdfs = f" and {len(view.pdfs)} PDF of {len(view.pdfs[0])} bytes" if view.pdfs else ""
        return f"I read {view.said(*words) or 'nothing'}{pdfs}."

    return rule


def send(s: Stage, place: Place, who: str, name: str, content: bytes, words: str = "") -> object:
    if place.platform == "T":
        return s.ask(place, who, words, media=s.document(name, content))
    return s.ask(place, who, words, attachments=[Upload(name, content)])


async def one_answer(s: Stage, place: Place, who: str, name: str, content: bytes, *words: str) -> None:
    """A file with a question is answered with these words of the file, and the question."""
    s.model(names("what is this?", *words))
    send(s, place, who, name, content, "what is this?")
    await s.answer(place, exactly=f"I read {', '.join(words)}, what is this?.")


@situation(17)
async def a_pdf(s: Stage) -> None:
    s.model(names("read it"))
    send(s, s.t("Anna"), "Anna", "lease.pdf", PAGES, "read it")
    await s.answer(s.t("Anna"), exactly=f"I read read it and 1 PDF of {len(PAGES)} bytes.")


@situation(19)
async def a_csv_table(s: Stage) -> None:
    await one_answer(s, s.t("Clara"), "Clara", "marks.csv", b"subject;mark\nmaths;2", "subject;mark", "maths;2")


@situation(20)
async def a_docx(s: Stage) -> None:
    await one_answer(s, s.d("Clara"), "Clara", "essay.docx", ESSAY, "The Weimar Republic", "It began in 1919.")


@situation(21)
async def an_xlsx(s: Stage) -> None:
    book = sample.xlsx({"Heating": [["month", "litres"], ["May", 417]]})
    await one_answer(s, s.t("Ben"), "Ben", "oil.xlsx", book, "Heating", "litres", "417")


@situation(22)
async def a_pptx(s: Stage) -> None:
    await one_answer(s, s.d("Anna"), "Anna", "talk.pptx", sample.slides({"Our year": "four trips"}), "Our year")


@situation(23)
async def an_odt(s: Stage) -> None:
    letter = sample.odt("To the school", "David was ill.")
    await one_answer(s, s.t("Anna"), "Anna", "letter.odt", letter, "To the school", "David was ill.")


@situation(24)
async def an_epub(s: Stage) -> None:
    book = sample.epub({"one.xhtml": "<h1>The whale</h1>", "two.xhtml": "<p>Call me.</p>"})
    await one_answer(s, s.t("Ben"), "Ben", "book.epub", book, "The whale", "Call me.")


@situation(25)
async def a_file_that_is_too_large(s: Stage) -> None:
    place, asked = s.t("David"), len(s.month.family.telegram.downloads.asked)
    s.model(names("25 MB", "20"))
    media = s.document("film.mp4", b"?", "video/mp4")
    media["document"]["file_size"] = 25 * 2**20
    s.ask(place, "David", media=media, mark="failed")
    await s.answer(place, "film.mp4", "25 MB", "20")
    s.so(len(s.month.family.telegram.downloads.asked) == asked, "it was fetched all the same")


@situation(26)
async def an_archive_that_is_named_as_a_picture(s: Stage) -> None:
    place = s.d("David")
    s.model(lambda view: f"{len(view.colours)} pictures, {view.said('application/zip', 'image/png')}")
    send(s, place, "David", "photo.png", sample.zipped({"a.txt": "a"}), "look")
    await s.answer(place, exactly="0 pictures, application/zip")


@situation(27)
async def a_file_in_a_topic(s: Stage) -> None:
    place = s.t("school")
    s.model(names("bring boots"))
    asked = send(s, place, "Clara", "list.txt", b"bring boots", "what is in it?")
    shown = await s.answer(place, exactly="I read bring boots.")
    s.so(shown.reply_to is asked, "it is no reply to the file")


@situation(28)
async def what_is_no_file(s: Stage) -> None:
    place = s.t("Helga")
    s.model(names("52.52", "13.405", "Erika", "+49301234", "Wohin?", "See", "Wald"))
    s.ask(place, "Helga", media=location())
    await s.answer(place, exactly="I read 52.52, 13.405.")
    s.ask(place, "Helga", media=contact("Erika"))
    await s.answer(place, exactly="I read Erika, +49301234.")
    s.ask(place, "Helga", media=poll("Wohin?", "See", "Wald"))
    await s.answer(place, exactly="I read Wohin?, See, Wald.")


@situation(29)
async def a_forwarded_file(s: Stage) -> None:
    place = s.d("home")
    theirs = place.members["David"].say(s.d("David").channel, attachments=[Upload("poem.txt", b"roses are red")])
    s.model(lambda view: names("roses are red", "forward")(view))
    s.note(s.d("David"), theirs, "done")
    await s.answer(s.d("David"), exactly="I read roses are red.")
    thread = s.new_thread("Poems")
    s.ask(thread, "Anna", "come in")
    await s.answer(thread, "I read nothing.")
    forwarded = place.members["Anna"].forward(thread.channel, theirs)
    s.note(thread, forwarded, "done")
    await s.answer(thread, "roses are red", "forward")


@situation(30)
async def a_pdf_and_a_kill_while_it_is_fetched(s: Stage) -> None:
    downloads = s.month.family.telegram.downloads
    downloads.next(DownloadFault.SILENT)
    before = len(downloads.asked)
    s.model(names("sign it?"))
    send(s, s.t("Ben"), "Ben", "contract.pdf", PAGES, "sign it?")
    await s.until_so(lambda: len(downloads.asked) > before)
    await s.kill()
    await s.answer(s.t("Ben"), exactly=f"I read sign it? and 1 PDF of {len(PAGES)} bytes.")


@situation(31)
async def a_docx_and_a_kill_while_the_model_writes(s: Stage) -> None:
    reply, go_on = s.holding("I read something that is never said.")
    s.model(lambda view: names("The Weimar Republic")(view) if go_on.is_set() else reply)
    send(s, s.d("Clara"), "Clara", "essay.docx", ESSAY)
    await s.asked()
    go_on.set()
    await s.kill()
    await s.answer(s.d("Clara"), exactly="I read The Weimar Republic.")


@situation(32)
async def an_album_and_a_kill_after_its_first_file(s: Stage) -> None:
    downloads, place = s.month.family.telegram.downloads, s.t("Anna")
    downloads.next(None, DownloadFault.SILENT)
    before = len(downloads.asked)
    s.model(names("first of all", "second to none", "compare"))
    two = [s.document("a.txt", b"first of all"), s.document("b.txt", b"second to none")]
    s.album(place, "Anna", *two, captions=["compare", ""])
    await s.until_so(lambda: len(downloads.asked) > before + 1)
    await s.kill()
    await s.answer(place, "compare", "first of all", "second to none")
