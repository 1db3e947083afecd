"""In which encoding a text is that names none."""

# ruff: noqa: RUF001 -- texts in many scripts are what is tested

import pytest

from bot.documents.plain_text import decode_any_text

CHINESE = "你好，妈妈说明天早上八点在学校门口见面，请带上作业本和雨伞。"
MINUTES = "会议纪要：一、预算增加百分之十；二、下周三之前提交报告。"
TRADITIONAL = "會議紀要：一、預算增加百分之十；二、下週三之前提交報告。"
JAPANESE = "議事録:予算を10%増やす。来週の水曜日までに報告書を提出する。"
KOREAN = "안녕하세요. 내일 아침 여덟 시에 학교 앞에서 만나요. 우산을 잊지 마세요."
RUSSIAN = "Список покупок: молоко, хлеб, яйца, сыр, яблоки"
TEXTS = [
    (CHINESE, "gb18030"),
    (MINUTES, "gb18030"),
    (TRADITIONAL, "big5hkscs"),
    (JAPANESE, "cp932"),
    (JAPANESE, "euc_jp"),
    (JAPANESE, "iso2022_jp"),
    (KOREAN, "cp949"),
    (RUSSIAN, "cp1251"),
    (RUSSIAN, "koi8-r"),
    (RUSSIAN, "cp866"),
    ("Γεια σου! Θα συναντηθούμε αύριο στις οκτώ μπροστά στο σχολείο.", "cp1253"),
    ("שלום! ניפגש מחר בשמונה בבוקר מול בית הספר, אל תשכח מטרייה.", "cp1255"),
    ("مرحبا! سنلتقي غدا في الساعة الثامنة أمام المدرسة، لا تنس المظلة.", "cp1256"),
    ("สวัสดี พรุ่งนี้เจอกันแปดโมงเช้าหน้าโรงเรียน อย่าลืมเอาร่มมาด้วย", "cp874"),
    ("Cześć! Spotkamy się jutro o ósmej przed szkołą. Żółta łódź.", "cp1250"),
    ("Ahoj! Sejdeme se zítra v osm před školou. Příliš žluťoučký kůň.", "cp1250"),
    ("Szia! Holnap nyolckor találkozunk, ne felejtsd el az esernyőt. Tűz!", "cp1250"),
    ("Merhaba! Yarın sabah okulun önünde buluşalım. Güneşli bir gün!", "cp1254"),
    ("Grüße aus Köln, für 5 €. Straße, Äpfel, “gut”.", "cp1252"),
    ("Übung: für über", "cp1252"),
    ("L'été, créée, où êtes-vous à Noël ? Ça va être naïf.", "cp1252"),
    ("¿Qué hora es? Mañana será otro día, señor.", "cp1252"),
    ("Perché no? È già così, città e università.", "cp1252"),
    ("Vi ses på lørdag, æbler og brød. Hilsen Søren", "cp1252"),
    ("Halló! Við hittumst á morgun fyrir framan skólann. Þú!", "cp1252"),
    ("it’s only a dash – nothing more", "cp1252"),
]


@pytest.mark.parametrize(("text", "encoding"), TEXTS)
def test_a_text_says_in_what_encoding_it_is(text: str, encoding: str) -> None:
    assert decode_any_text(text.encode(encoding)) == (text, encoding)


def test_a_sign_that_the_sample_cuts_is_left_out() -> None:
    content = (CHINESE * 2_000).encode("gb18030")
    decoded = decode_any_text(content[: 2**16 + 1], is_whole=False)
    assert decoded == ((CHINESE * 2_000)[: 2**15], "gb18030")


def test_a_program_with_chinese_notes_is_read() -> None:
    text = "\n".join(f"def step_{number}():  # 第一步：把数据放到里面" for number in range(50))
    assert decode_any_text(text.encode("gbk")) == (text, "gb18030")


def test_bytes_that_are_no_text_stay_none() -> None:
    assert decode_any_text(bytes(range(1, 256)) * 8) is None
