"""Tasks in an account: joining, settings, letters, notifications."""

from typing import Any

from fixtures_sites.forum.tasks.square import (
    SIGNED,
    Who,
    find,
    has,
    member,
    own,
    rows,
    sign_in,
    state,
    stranger,
    thread,
    user_id,
)
from fixtures_sites.seeded import Dice
from fixtures_sites.steps import Step, button, choose, click, confirm, done, fill, link
from fixtures_sites.tasks import Book, Case

BOOK = Book("forum")
NEWCOMERS = (
    ("nora_blake", "nora.blake@example.com", "1991-04-12"),
    ("omar_reyes7", "omar.reyes@example.com", "1984-11-30"),
    ("lena_fox", "lena.fox@example.com", "2001-02-05"),
    ("theo_grant", "theo.grant@example.com", "1976-08-21"),
)
LETTERS = (
    ("Saturday", "Are you coming on Saturday? We start at nine."),
    ("Your advice", "It worked at once. Thank you very much."),
    ("A question", "Which size did you take in the end?"),
    ("Borrowing the tripod", "May I borrow it for a week?"),
)


@BOOK.template(
    "Create an account with the user name {name}, the e-mail {email}, the password {password} and the date of birth {born}, without"
    " the weekly digest.",
    count=2,
    hard=True,
)
def sign_up(dice: Dice) -> Case:
    """A form with a date and two ticks."""
    name, email, born = dice.pick(NEWCOMERS)
    password = f"{dice.pick(('amber', 'cobalt', 'velvet'))}-{dice.pick(('fox', 'otter', 'heron'))}-{dice.number(10, 99)}"
    way = [
        link("Sign up"), fill("User name", name), fill("E-mail address", email), fill("Password", password),
        fill("Repeat password", password), fill("Date of birth", born), click("checkbox", "I accept the house rules"),
    ]  # fmt: skip
    values = {"email": email, "password": password, "born": born}
    return Case(
        {"name": name, **values},
        state("member", {**values, "mail_digest": "never"}, name=name),
        [*way, click("checkbox", "Send me the weekly digest"), button("Create account"), done()],
        [*way, button("Create account"), done()],
    )


@BOOK.template(
    f"Change the text about me on my profile to “{{about}}”. ({SIGNED})",
    f"My bio must read “{{about}}”. ({SIGNED})",
    count=2,
)
def about(dice: Dice) -> Case:
    """Sign in, open the settings, edit."""
    who = member(dice)
    text = dice.pick(
        (
            "Back from a long break.",
            "I answer on Sundays.",
            "Beginner in everything.",
            "Collector of bad advice.",
        )
    )
    way = [*sign_in(who), *own(who, "Settings"), fill("About you", text)]
    return Case(
        {"about": text, **who},
        has(who, about=text),
        [*way, button("Save changes"), done()],
        [*way, link("Password"), done()],
    )


@BOOK.template(f"Set my avatar text to {{avatar}} and my location to {{place}}. ({SIGNED})", count=2)
def avatar(dice: Dice) -> Case:
    """Sign in, open the settings, edit two fields."""
    who, text, place = (
        member(dice),
        dice.pick(("ZX", "Q7", "Oh!", "K")),
        dice.pick(("Lisbon", "Oslo", "Ghent", "Turin")),
    )
    way = [*sign_in(who), *own(who, "Settings"), fill("Avatar text", text)]
    return Case(
        {"avatar": text, "place": place, **who},
        has(who, avatar=text, location=place),
        [*way, fill("Location", place), button("Save changes"), done()],
        [*way, button("Save changes"), done()],
    )


@BOOK.template(
    f"I want the digest {{often}} and no e-mail when somebody replies to me; leave the rest. ({SIGNED})",
    f"Turn off e-mails about replies and send me the digest {{often}}. ({SIGNED})",
    count=2,
)
def mail(dice: Dice) -> Case:
    """Sign in, open the e-mail preferences, untick, choose."""
    who = member(dice)
    option, key, often = dice.pick((("Every day", "daily", "every day"), ("Never", "never", "never")))
    way = [
        *sign_in(who),
        *own(who, "Settings"),
        link("E-mail preferences"),
        choose("Digest of the best threads", option),
    ]
    return Case(
        {"often": often, **who},
        has(who, mail_replies=0, mail_messages=1, mail_digest=key),
        [*way, click("checkbox", "When somebody replies to me"), button("Save changes"), done()],
        [*way, click("checkbox", "When I get a message"), button("Save changes"), done()],
    )


@BOOK.template(f"Change my password to {{new}}. ({SIGNED})", count=2)
def password(dice: Dice) -> Case:
    """Sign in, fill three fields."""
    who, new = (
        member(dice),
        f"{dice.pick(('cedar', 'marble', 'tulip'))}-{dice.pick(('lamp', 'wagon', 'river'))}-{dice.number(10, 99)}",
    )
    way = [
        *sign_in(who), *own(who, "Settings"), link("Password"), fill("Current password", who["password"]), fill("New password", new),
    ]  # fmt: skip
    return Case(
        {"new": new, **who},
        has(who, password=new),
        [*way, fill("Repeat new password", new), button("Change password"), done()],
        [*way, fill("Repeat new password", f"{new}x"), button("Change password"), done()],
    )


def _letter(subject: str, text: str) -> list[Step]:
    return [fill("Subject", subject), fill("Message", text), button("Send message"), done()]


def _sent(who: Who, **letter: str) -> dict[str, Any]:
    return state("letters", {"sent": [letter]}, name=who["name"])


@BOOK.template(
    f"Send {{person}} a message with the subject “{{subject}}” and the text “{{text}}”. ({SIGNED})",
    f"Write to {{person}} in private: subject “{{subject}}”, text “{{text}}”. ({SIGNED})",
    count=2,
)
def message(dice: Dice) -> Case:
    """Sign in, open the messages, write."""
    who, person, other, (subject, text) = member(dice), stranger(dice), stranger(dice), dice.pick(LETTERS)
    way = [*sign_in(who), link("Messages"), link("New message")]
    return Case(
        {"person": person, "subject": subject, "text": text, **who},
        _sent(who, recipient=person, subject=subject, text=text),
        [*way, fill("To", person), *_letter(subject, text)],
        [*way, fill("To", other), *_letter(subject, text)],
    )


@BOOK.template(
    f"Reply to the message “{{subject}}” with “{{text}}”; leave the subject as proposed. ({SIGNED})", count=2
)
def answer_message(dice: Dice) -> Case:
    """Sign in, open a message, answer."""
    who, (_, text) = member(dice), dice.pick(LETTERS)
    sql = "select m.*, u.name from messages m join users u on u.id = m.sender where m.recipient = ? order by m.sent desc"
    found, other = dice.some(rows(sql, user_id(who))[:8], 2)
    way = [*sign_in(who), link("Messages")]
    end = [link("Reply"), fill("Message", text), button("Send message"), done()]
    return Case(
        {"subject": found["subject"], "text": text, **who},
        _sent(who, recipient=found["name"], subject=f"Re: {found['subject']}", text=text),
        [*way, link(found["subject"]), *end],
        [*way, link(other["subject"]), *end],
    )


@BOOK.template(f"Delete the message “{{subject}}” from my inbox. ({SIGNED})", count=2)
def delete_message(dice: Dice) -> Case:
    """Sign in, find a message, which may be on the second page, delete, confirm in a dialog."""
    who = member(dice)
    found = rows("select * from messages where recipient = ? order by sent desc", user_id(who))
    letter = dice.pick(found)
    turn = [link("Next page")] if found.index(letter) >= 8 else []
    way = [*sign_in(who), link("Messages"), *turn, link(letter["subject"]), button("Delete")]
    left = [
        row["subject"] for row in sorted(found, key=lambda row: int(row["id"])) if row["id"] != letter["id"]
    ]
    return Case(
        {"subject": letter["subject"], **who},
        state("letters", {"inbox": left}, name=who["name"]),
        [*way, confirm(), done()],
        [*way, confirm(accept=False), done()],
    )


@BOOK.template(
    f"Mark all my notifications as read. ({SIGNED})", f"Clear my unread notifications. ({SIGNED})", count=2
)
def read_all(dice: Dice) -> Case:
    """Sign in, open the notifications, one button."""
    who = member(dice)
    way = [*sign_in(who), link("Notifications")]
    return Case(
        who,
        has(who, unread=0),
        [*way, button("Mark all as read"), done()],
        [*way, button("Mark as read"), done()],
    )


@BOOK.template(
    f"Send whoever started the thread “{{title}}” a message: subject “{{subject}}”, text “{{text}}”. ({SIGNED})",
    count=2,
    hard=True,
)
def message_author(dice: Dice) -> Case:
    """Sign in, find an author, write by the profile."""
    who, found, (subject, text) = member(dice), thread(dice), dice.pick(LETTERS)
    way = [
        *sign_in(who),
        *find(found["title"]),
        link(found["author_name"], row="Started by"),
        link("Send a message"),
    ]
    return Case(
        {"title": found["title"], "subject": subject, "text": text, **who},
        _sent(who, recipient=found["author_name"], subject=subject, text=text),
        [*way, *_letter(subject, text)],
        [*way, fill("Message", text), button("Send message"), done()],
    )
